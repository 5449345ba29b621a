"""Options of the command line: their defaults are assumed (argparse, absl flags, click)."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.heap import ListV, Raised
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import BuiltinV, FunctionV, NamespaceV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.wanted import supplied
from cudnnlint.values import Assumption, Unknown


class ParserV:
    """An argparse.ArgumentParser: defaults of its options by destination."""

    always_true = True
    path = "argparse.ArgumentParser"

    def __init__(self) -> None:
        self.options = NamespaceV()
        self.spelled: dict[str, tuple[str, Any, Any, Any]] = {}
        """Of each spelling: the destination, `type`, `action` and `nargs`."""


@FRAMEWORK.on("argparse.ArgumentParser", "configargparse.ArgumentParser", "configargparse.ArgParser",
              "simple_parsing.ArgumentParser")
def parser(c: Call) -> Any:
    return ParserV()


@FRAMEWORK.on("argparse.ArgumentParser.add_argument")
def add_argument(c: Call) -> Any:
    owner = plain(c.receiver)
    names = [plain(arg) for arg in c.args]
    if not isinstance(owner, ParserV) or not all(isinstance(name, str) for name in names):
        return Unknown("an option")
    dest = plain(c.kwargs.get("dest"))
    if not isinstance(dest, str):
        long = next((name for name in names if name.startswith("--")), names[0] if names else "")
        dest = long.lstrip("-").replace("-", "_")
    default = _option_default(c, names[0] if names else dest, dest)
    c.machine.set_item(owner.options, dest, supplied(c.machine, dest, default))
    told = dest, plain(c.kwargs.get("type")), plain(c.kwargs.get("action")), plain(c.kwargs.get("nargs"))
    owner.spelled.update(dict.fromkeys(names, told))
    return Unknown("an option")


def _option_default(c: Call, first: str, dest: str) -> Any:
    action = plain(c.kwargs.get("action"))
    if "default" in c.kwargs:
        default = c.kwargs["default"]
        kind = plain(c.kwargs.get("type"))
        if isinstance(plain(default), str) and kind is not None and getattr(kind, "name", "") != "str":
            default = c.machine.call(kind, [default], {}, c.node)  # argparse.py: _get_value of a default that is text
    elif action in ("store_true", "store_false"):
        default = action == "store_false"
    elif not first.startswith("-"):
        return Unknown(f"argument {dest}")
    elif plain(c.kwargs.get("required")) is True:
        return Unknown(f"required option --{dest}")
    else:
        default = None
    if not isinstance(plain(default), int | float | str | bool | tuple | None):
        return default
    flag = first if first.startswith("--") else f"--{dest.replace('_', '-')}"
    return assume(default, frozenset({Assumption.of_default(dest, plain(default), flag, c.span.path, c.span.line)}))


@FRAMEWORK.on("argparse.ArgumentParser.add_argument_group", "argparse.ArgumentParser.add_mutually_exclusive_group",
              "argparse.ArgumentParser.add_subparsers", "argparse.ArgumentParser.add_parser")
def same_parser(c: Call) -> Any:
    return plain(c.receiver)


@FRAMEWORK.on("argparse.ArgumentParser.set_defaults")
def set_defaults(c: Call) -> Any:
    owner = plain(c.receiver)
    if isinstance(owner, ParserV):
        for key, value in c.kwargs.items():
            c.machine.set_item(owner.options, key, value)
    return None


@FRAMEWORK.on("argparse.ArgumentParser.parse_args")
def parse_args(c: Call) -> Any:
    owner = plain(c.receiver)
    if not isinstance(owner, ParserV):
        return Unknown("args")
    made = NamespaceV(dict(owner.options.items), owner.options.unknown)
    words = plain(c.get(0, "args"))
    if isinstance(words, ListV) and not words.unknown:
        made.items.update(_spelled_out(c, owner, [plain(word) for word in words.items]))
    return made


def _spelled_out(c: Call, owner: ParserV, words: list[Any]) -> dict[str, Any]:
    """What a list that stands in the program, as in a notebook, says in place of the command line."""
    found: dict[str, Any] = {}
    for at, word in enumerate(words):
        name, equals, value = word.partition("=") if isinstance(word, str) else ("", "", "")
        if name not in owner.spelled or not name.startswith("-"):
            continue
        dest, kind, action, nargs = owner.spelled[name]
        following: Any = value if equals else words[at + 1] if at + 1 < len(words) else Unknown("no value")
        if action in ("store_true", "store_false"):
            found[dest] = action == "store_true"
        elif action not in (None, "store") or nargs is not None or not isinstance(following, str):
            found[dest] = Unknown(f"argument {name}")
        else:
            found[dest] = following if kind is None else c.machine.call(kind, [following], {}, c.node)
    return found


@FRAMEWORK.on("argparse.ArgumentParser.parse_known_args")
def parse_known_args(c: Call) -> Any:
    return (parse_args(c), ListV([], Unknown("other arguments")))


@FRAMEWORK.on("argparse.ArgumentParser.error", "argparse.ArgumentParser.exit")
def parser_error(c: Call) -> Any:
    raise Raised


def _flags(m: Machine) -> NamespaceV:
    if "flags" not in m.state:
        m.state["flags"] = NamespaceV({}, Unknown("a flag of another module"))
    flags: NamespaceV = m.state["flags"]
    return flags


@FRAMEWORK.on(*(f"{root}.{name}"
                for root in ("absl.flags", "tensorflow.flags", "tensorflow.app.flags", "tensorflow.compat.v1.flags",
                                              "tensorflow.compat.v1.app.flags")
                for name in ("DEFINE_integer", "DEFINE_float", "DEFINE_string", "DEFINE_bool", "DEFINE_boolean",
                             "DEFINE_enum", "DEFINE_list", "DEFINE_multi_integer")))
def define_flag(c: Call) -> Any:
    name, default = plain(c.get(0, "name")), c.get(1, "default")
    if not isinstance(name, str):
        return Unknown("a flag")
    value = default
    if plain(c.kwargs.get("required")) is True:
        value = Unknown(f"required flag --{name}")
    elif isinstance(plain(default), int | float | str | bool | None):
        value = assume(default, frozenset({
            Assumption.of_default(name, plain(default), f"--{name}", c.span.path, c.span.line)}))
    c.machine.set_item(_flags(c.machine), name, value)
    return NamespaceV({"value": value, "default": value})


@FRAMEWORK.on("ml_collections.config_flags.DEFINE_config_dict")
def define_config(c: Call) -> Any:
    """A flag that holds a ConfigDict, of which each value is an option (ml_collections/config_flags)."""
    name, config = plain(c.get(0, "name")), c.get(1, "config")
    if isinstance(name, str):
        c.machine.set_item(_flags(c.machine), name, config)
    return NamespaceV({"value": config, "default": config})


class _FlagsProxy:
    """FLAGS before or after its flags are defined: attributes are looked up when used."""

    always_true = True

    def attribute(self, m: Machine, name: str) -> Any:
        flags = _flags(m)
        return flags.items.get(name, Unknown(f"flag {name}"))

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        """What the program sets is no longer the default."""
        m.set_item(_flags(m), name, value)


for _root in ("absl.flags", "absl", "tensorflow.flags", "tensorflow.app.flags", "tensorflow.compat.v1.flags",
              "tensorflow.compat.v1.app.flags"):
    FRAMEWORK.constant(f"{_root}.FLAGS", _FlagsProxy())


@FRAMEWORK.on("absl.app.run", "tensorflow.app.run", "tensorflow.compat.v1.app.run")
def run_app(c: Call) -> Any:
    main = c.get(0, "main")
    if main is None:
        main = c.machine.frame.module.scope.items.get("main")
    if main is not None:
        c.machine.call(main, [Unknown("argv")], {}, c.node)
    return None


@FRAMEWORK.on("click.option", "click.argument")
def click_option(c: Call) -> Any:
    """A decorator that gives the command's parameter its default (as an assumption)."""
    names = [plain(arg) for arg in c.args if isinstance(plain(arg), str)]
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    dest = next((name for name in names if not name.startswith("-")),
                long.lstrip("-").partition("/")[0].replace("-", "_"))
    default = _click_default(c, names[0] if names else "", long)
    span = c.span

    def run(inner: Call) -> Any:
        function = plain(inner.args[0]) if inner.args else None
        if isinstance(function, FunctionV):
            known = isinstance(plain(default), int | float | str | bool | None)
            taken = Assumption.of_default(dest, plain(default), long, span.path, span.line)
            value = assume(default, frozenset({taken})) if known else default
            function.kw_defaults = {**function.kw_defaults, dest: supplied(inner.machine, dest, value)}
        return inner.args[0] if inner.args else Unknown("decorator")

    return BuiltinV("click.option", run)


def _click_default(c: Call, first: str, long: str) -> Any:
    """What a command gets that is called without options (click/core.py: Parameter, Option)."""
    if "default" in c.kwargs:
        default, kind = c.kwargs["default"], plain(c.kwargs.get("type"))
        is_text = isinstance(plain(default), str) and isinstance(kind, BuiltinV) and kind.name in ("int", "float")
        return c.machine.call(kind, [default], {}, c.node) if is_text else default
    if not first.startswith("-") or plain(c.kwargs.get("required")) is True or plain(c.kwargs.get("prompt")):
        return Unknown(f"option {long}")
    if plain(c.kwargs.get("is_flag")) is True or "/" in long:
        return False
    return () if plain(c.kwargs.get("multiple")) is True else None


@FRAMEWORK.on("click.command", "click.group", "click.pass_context", "click.version_option")
def click_command(c: Call) -> Any:
    if c.args and isinstance(plain(c.args[0]), FunctionV):
        return c.args[0]
    return BuiltinV("click.command", lambda inner: inner.args[0] if inner.args else Unknown("decorator"))
