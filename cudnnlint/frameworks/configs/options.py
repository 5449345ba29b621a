"""Command lines that are made of a record's fields or a function's parameters: tyro, simple_parsing, pyrallis, Tap,
HfArgumentParser, typer. What the program is started with is its defaults, as an assumption."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.frameworks.python.command_line import ParserV
from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.fields import FIELDS
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import REQUIRED, BoundV, BuiltinV, ClassV, FunctionV, InstanceV
from cudnnlint.interp.parameters import parameters
from cudnnlint.interp.registry import Call
from cudnnlint.interp.wanted import supplied
from cudnnlint.source.walk import walk
from cudnnlint.values import Assumption, Unknown

DEEPEST = 8
SAID = frozenset({"args", "config_path", "config", "file"})
"""Arguments that say what else the command line would."""
PLAIN = (bool, int, float, str, tuple, type(None))


def by_default(c: Call, name: str, value: Any, option: str = "") -> Any:
    """The default of an option, on which what the program does with it rests."""
    held = plain(value)
    if not isinstance(held, PLAIN):
        return value
    taken = Assumption.of_default(name, held, option or f"--{name.replace('_', '-')}", c.span.path, c.span.line)
    return supplied(c.machine, name, assume(value, frozenset({taken})))


def record_of(c: Call, made: Any, depth: int = 0) -> Any:
    """An object with fields, each as its default has it; those of records within are options, too."""
    held = plain(made)
    if isinstance(held, InstanceV) and held.cls.fields and depth < DEEPEST:
        for name in held.cls.fields:
            if name in held.items:
                inner = record_of(c, held.items[name], depth + 1)
                c.machine.set_item(held, name, by_default(c, name, inner))
    return made


def started(c: Call, what: Any, given: Any = None) -> Any:
    """A class made, or a function called, without options. `given`: an object in place of the class's own defaults."""
    held = plain(what)
    if isinstance(plain(given), InstanceV):
        return record_of(c, given)
    if isinstance(held, ClassV) and held.fields is not None:
        required = {name: Unknown(f"option {name}") for name, field in held.fields.items() if _is_required(field)}
        return record_of(c, c.machine.call(held, [], required, c.node))
    if isinstance(held, FunctionV):
        return c.machine.call(held, [], _arguments(c, held), c.node)
    return Unknown("what the command line makes")


def _is_required(field: Any) -> bool:
    if getattr(field, "path", "") in FIELDS:
        return not field.args and field.kwargs.keys().isdisjoint(("default", "default_factory", "factory"))
    return field is REQUIRED


def _arguments(c: Call, function: FunctionV) -> dict[str, Any]:
    """Of a function that is called without options."""
    positional, named = parameters(function.node)
    last = positional[len(positional) - len(function.defaults):]
    defaults = {**dict(zip(last, function.defaults, strict=True)), **function.kw_defaults}
    return {name: by_default(c, name, defaults[name]) if name in defaults else Unknown(f"option {name}")
            for name in (*positional, *named)}


@FRAMEWORK.on("tyro.cli", "simple_parsing.parse", "pyrallis.parse", "draccus.parse")
def made(c: Call) -> Any:
    """What a file or a list of words in the program says in place of the command line is not followed."""
    if len(c.args) > 1 or not SAID.isdisjoint(c.kwargs):
        return Unknown("what is said in place of the command line")
    return started(c, c.get(0, "f", c.kwargs.get("config_class")), c.kwargs.get("default"))


@FRAMEWORK.on("pyrallis.wrap", "draccus.wrap")
def wrapped(c: Call) -> Any:
    """A decorator: called without arguments, the function gets an object of the class that it is annotated with."""

    by_words = not c.args and SAID.isdisjoint(c.kwargs)

    def decorated(inner: Call) -> Any:
        function = plain(inner.args[0]) if inner.args else None
        if not isinstance(function, FunctionV):
            return Unknown("decorator")

        def run(call: Call) -> Any:
            what = annotated(call.machine, function) if by_words else Unknown("options of a file")
            given = call.args or [started(call, what)]
            return call.machine.call(function, given, call.kwargs, call.node)

        return BuiltinV(function.name, run)

    return BuiltinV("wrap", decorated)


def annotated(m: Machine, function: FunctionV) -> Any:
    """The class that the first parameter of a function is annotated with, where it stands in the same module."""
    arguments = function.node.args
    first = next(iter((*arguments.posonlyargs, *arguments.args)), None)
    named = first.annotation if first is not None else None
    return function.module.scope.items.get(named.id) if isinstance(named, ast.Name) else None


class RecordsV:
    """A transformers.HfArgumentParser: the classes of which it makes an object each."""

    always_true = True
    path = "transformers.HfArgumentParser"

    def __init__(self, classes: tuple[Any, ...] | Unknown) -> None:
        self.classes = classes


@FRAMEWORK.on("transformers.HfArgumentParser", "transformers.hf_argparser.HfArgumentParser", "trl.TrlParser")
def records(c: Call) -> Any:
    held = plain(c.get(0, "dataclass_types"))
    found = tuple(held.items) if isinstance(held, ListV) and not held.unknown else held
    return RecordsV(found if isinstance(found, tuple) else (found,))


@FRAMEWORK.on("transformers.HfArgumentParser.parse_args_into_dataclasses", "transformers.HfArgumentParser.parse_dict",
              "transformers.HfArgumentParser.parse_json_file", "transformers.HfArgumentParser.parse_yaml_file")
def parsed(c: Call) -> Any:
    """One object of each class; what a dict or file says is not followed (transformers/hf_argparser.py)."""
    owner = plain(c.receiver)
    if not isinstance(owner, RecordsV) or not isinstance(owner.classes, tuple):
        return Unknown("dataclasses of options")
    by_words = c.path.endswith("into_dataclasses") and not c.args \
        and c.kwargs.keys().isdisjoint(("args", "args_filename", "args_file_flag"))
    made = [started(c, each) if by_words else Unknown("an option of a file") for each in owner.classes]
    return (*made, ListV([])) if plain(c.kwargs.get("return_remaining_strings")) is True else tuple(made)


@FRAMEWORK.on("argparse.ArgumentParser.add_arguments")
def add_arguments(c: Call) -> Any:
    """simple_parsing/parsing.py: ArgumentParser.add_arguments"""
    owner, dest = plain(c.receiver), plain(c.get(1, "dest"))
    if isinstance(owner, ParserV) and isinstance(dest, str):
        c.machine.set_item(owner.options, dest, started(c, c.get(0, "dataclass"), c.kwargs.get("default")))
    return None


@FRAMEWORK.on("tap.Tap.parse_args")
def parse_args(c: Call) -> Any:
    """tap/tap.py: Tap.parse_args, which gives the object itself and has it look at what it was given."""
    held = plain(c.receiver)
    if c.args or not SAID.isdisjoint(c.kwargs):
        return Unknown("what is said in place of the command line")
    record_of(c, held)
    if isinstance(held, InstanceV) and isinstance(process := held.cls.lookup("process_args"), FunctionV):
        c.machine.call(BoundV(process, held), [], {}, c.node)
    return held


@FRAMEWORK.on("typer.Option", "typer.Argument")
def option(c: Call) -> Any:
    """`def main(size: int = typer.Option(12))`: the parameter's default, `...` where there is none."""
    default = c.get(0, "default", ...)
    if plain(default) is ... or "prompt" in c.kwargs or "default_factory" in c.kwargs:
        return Unknown("an option without a default")
    name = _parameter(c)
    return by_default(c, name, default) if name else default


def _parameter(c: Call) -> str:
    """The name of the parameter whose default the call is."""
    tree = c.machine.frame.module.source.tree()
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            positional = [*node.args.posonlyargs, *node.args.args]
            pairs = [*zip(reversed(positional), reversed(node.args.defaults), strict=False),
                     *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
            if (found := next((arg.arg for arg, value in pairs if value is c.node), None)) is not None:
                return found
    return ""


@FRAMEWORK.on("typer.Typer.command", "typer.Typer.callback")
def command(c: Call) -> Any:
    """The function stays what it is."""
    return BuiltinV("typer.Typer.command", lambda inner: inner.args[0] if inner.args else Unknown("decorator"))
