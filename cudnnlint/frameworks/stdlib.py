"""The standard library as model code uses it: argparse, os.environ, functools, itertools, math, collections."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from cudnnlint.interp.builtins import BUILTINS, numeric
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV, Raised
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import BuiltinV, ClassV, FunctionV, GeneratorV, NamespaceV, PartialV
from cudnnlint.interp.registry import Call, Framework, Handler
from cudnnlint.values import Assumption, Unknown

FRAMEWORK = Framework("stdlib", roots=(
    "functools", "itertools", "math", "os", "sys", "argparse", "collections", "types", "copy", "dataclasses", "typing",
    "typing_extensions", "enum", "abc", "random", "operator", "numbers", "time", "json", "re", "pathlib", "absl",
    "click",
    "string", "logging", "warnings", "contextlib", "datetime", "glob", "shutil", "pickle", "six", "attr", "attrs",
    "pydantic", "subprocess", "tempfile", "struct", "csv", "urllib", "threading", "multiprocessing", "inspect", "io"),
    prefixes={"typing_extensions": "typing", "absl.flags.FLAGS": "absl.FLAGS"})


def _computed(function: Callable[..., Any]) -> Handler:
    return lambda c: numeric(c, function)


for _name in ("sqrt", "ceil", "floor", "log", "log2", "log10", "exp", "pow", "sin", "cos", "tan", "gcd", "fabs",
              "trunc",
              "hypot", "isnan", "isinf", "tanh"):
    FRAMEWORK.on(f"math.{_name}")(_computed(getattr(math, _name)))
FRAMEWORK.constant("math.pi", math.pi)
FRAMEWORK.constant("math.e", math.e)
FRAMEWORK.constant("math.inf", math.inf)
FRAMEWORK.constant("sys.maxsize", 2**63 - 1)
FRAMEWORK.constant("sys.platform", Unknown("sys.platform"))
FRAMEWORK.constant("typing.TYPE_CHECKING", False)
for _name in ("add", "mul", "sub", "floordiv", "truediv", "mod"):
    FRAMEWORK.on(f"operator.{_name}")(_computed(getattr(operator, _name)))


@FRAMEWORK.on("math.prod", "numpy.prod")
def prod(c: Call) -> Any:
    """The product of known numbers; a tensor's product otherwise."""
    found = elements(c.machine, c.args[0]) if c.args else Unknown()
    if (isinstance(found, Unknown) or len(c.args) > 1 or c.kwargs
            or not all(isinstance(plain(item), int | float) for item in found)):
        if plain(c.callee).path == "numpy.prod" and not isinstance(found, Unknown):
            from cudnnlint.interp.functions import apply_function

            return apply_function(c.machine, "numpy.product", c.args, c.kwargs, c.node)
        return found if isinstance(found, Unknown) else Unknown("a product")
    taken: frozenset[Any] = frozenset()
    total: Any = 1
    for item in found:
        total = total * plain(item)
        taken |= getattr(item, "assumptions", frozenset())
    return assume(total, taken)


@FRAMEWORK.on("functools.partial")
def partial(c: Call) -> Any:
    kwargs = dict(c.kwargs)
    return PartialV(c.args[0], tuple(c.args[1:]), kwargs) if c.args else Unknown("partial of nothing")


@FRAMEWORK.on("functools.reduce")
def reduce(c: Call) -> Any:
    found = elements(c.machine, c.args[1]) if len(c.args) > 1 else Unknown("reduce")
    if isinstance(found, Unknown):
        return found
    items = [*([c.args[2]] if len(c.args) > 2 else []), *found]
    if not items:
        return Unknown("reduce of nothing")
    value = items[0]
    for item in items[1:]:
        value = c.machine.call(c.args[0], [value, item], {}, c.node)
    return value


@FRAMEWORK.on("functools.wraps", "functools.lru_cache", "contextlib.contextmanager", "functools.cache")
def transparent(c: Call) -> Any:
    """Decorators that leave the function what it is, called with or without arguments."""
    if len(c.args) == 1 and isinstance(plain(c.args[0]), FunctionV) and plain(c.callee).path != "functools.wraps":
        return c.args[0]
    return BuiltinV("decorator", lambda inner: inner.args[0] if inner.args else Unknown("decorator"))


@FRAMEWORK.on("types.SimpleNamespace", "argparse.Namespace")
def namespace(c: Call) -> Any:
    unknown = c.kwargs.pop("**", None)
    return NamespaceV(dict(c.kwargs), unknown)


@FRAMEWORK.on("collections.OrderedDict", "collections.ChainMap")
def ordered_dict(c: Call) -> Any:
    return c.machine.call(BUILTINS["dict"], c.args, c.kwargs, c.node)


@FRAMEWORK.on("collections.defaultdict")
def default_dict(c: Call) -> Any:
    return DictV(default=c.args[0] if c.args else None)


@FRAMEWORK.on("collections.deque")
def deque(c: Call) -> Any:
    return c.machine.call(BUILTINS["list"], c.args[:1], {}, c.node)


@FRAMEWORK.on("collections.namedtuple", "typing.NamedTuple")
def named_tuple(c: Call) -> Any:
    """A class whose instances hold the given fields."""
    from cudnnlint.interp.objects import REQUIRED

    name = plain(c.args[0]) if c.args else None
    names = plain(c.get(1, "field_names", c.kwargs.get("fields")))
    if isinstance(names, str):
        listed: Any = names.replace(",", " ").split()
    else:
        listed = elements(c.machine, names)
    if isinstance(listed, Unknown) or not isinstance(name, str):
        return Unknown("a named tuple")
    cls = ClassV(name, (), c.machine.frame.module, None)
    cls.fields = {str(plain(item[0] if isinstance(item, tuple) else item)): REQUIRED for item in listed}
    defaults = elements(c.machine, c.kwargs["defaults"]) if "defaults" in c.kwargs else ()
    if not isinstance(defaults, Unknown):
        for field, default in zip(reversed(list(cls.fields)), reversed(list(defaults)), strict=False):
            cls.fields[field] = default
    return cls


@FRAMEWORK.on("copy.copy", "copy.deepcopy")
def copy(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else Unknown()
    deep = plain(c.callee).path == "copy.deepcopy"
    return _copied(value, deep)


def _copied(value: Any, deep: bool) -> Any:
    if isinstance(value, ListV):
        return ListV([_copied(item, deep) for item in value.items] if deep else value.items, value.unknown)
    if isinstance(value, DictV):
        items = {key: _copied(item, deep) for key, item in value.items.items()} if deep else dict(value.items)
        return DictV(items, value.unknown, is_set=value.is_set)
    if isinstance(value, tuple) and deep:
        return tuple(_copied(item, deep) for item in value)
    if isinstance(value, NamespaceV):
        return NamespaceV(dict(value.items), value.unknown)
    if value is None or isinstance(value, int | float | str | bytes | tuple):
        return value
    return Unknown("a copy")


@FRAMEWORK.on("dataclasses.asdict", "builtins.vars")
def as_dict(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else Unknown()
    items = getattr(value, "items", None)
    if not isinstance(items, dict):
        return Unknown("a dict of fields")
    return DictV(dict(items), getattr(value, "unknown", None))


BUILTINS["vars"] = BuiltinV("vars", as_dict)


@FRAMEWORK.on("dataclasses.replace")
def replace(c: Call) -> Any:
    from cudnnlint.interp.objects import InstanceV

    value = plain(c.args[0]) if c.args else Unknown()
    if isinstance(value, InstanceV):
        made = InstanceV(value.cls, c.span)
        made.items = {**value.items, **c.kwargs}
        return made
    return Unknown("dataclasses.replace")


@FRAMEWORK.on("itertools.chain", "itertools.product", "itertools.zip_longest", "itertools.combinations",
              "itertools.permutations")
def combine(c: Call) -> Any:
    import itertools

    columns = [elements(c.machine, arg) for arg in c.args]
    name = plain(c.callee).path.rpartition(".")[2]
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    if unknown or name not in ("chain", "product") or c.kwargs:
        return unknown or Unknown(name)
    made = itertools.islice(getattr(itertools, name)(*columns), c.machine.limits.items)
    return GeneratorV(ListV(list(made)), complete=True)


@FRAMEWORK.on("itertools.chain.from_iterable")
def chain_from(c: Call) -> Any:
    rows = elements(c.machine, c.args[0])
    if isinstance(rows, Unknown):
        return rows
    out: list[Any] = []
    for row in rows:
        found = elements(c.machine, row)
        if isinstance(found, Unknown):
            return found
        out.extend(found)
    return GeneratorV(ListV(out), complete=True)


@FRAMEWORK.on("itertools.repeat")
def repeat(c: Call) -> Any:
    count = plain(c.get(1, "times"))
    if isinstance(count, int) and count <= c.machine.limits.items:
        return GeneratorV(ListV([c.args[0]] * count), complete=True)
    return GeneratorV(ListV([c.args[0]]), complete=False, infinite=count is None)


@FRAMEWORK.on("itertools.count", "itertools.cycle")
def endless(c: Call) -> Any:
    return GeneratorV(ListV([Unknown("an element")]), complete=False, infinite=True)


@FRAMEWORK.on("random.shuffle", "numpy.random.shuffle")
def shuffle(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else None
    if isinstance(value, ListV):
        from cudnnlint.interp.join import join

        c.machine.heap.touch(value)
        value.items = [join(value.items)] * len(value.items) if value.items else []
    return None


@FRAMEWORK.on("sys.exit", "os._exit", "os.abort")
def leave(c: Call) -> Any:
    raise Raised


@FRAMEWORK.on("os.environ.get", "os.getenv")
def environment(c: Call) -> Any:
    """The default is assumed."""
    name = plain(c.get(0, "key"))
    default = c.get(1, "default")
    if len(c.args) < 2 and "default" not in c.kwargs:
        return Unknown(f"environment variable {name}")
    text = f"{name} = {plain(default)!r} (default of os.environ.get, line {c.span.line})"
    return assume(default, frozenset({Assumption(text)}))


@FRAMEWORK.on("random.randint", "random.random", "random.choice", "random.uniform", "random.sample", "time.time")
def at_random(c: Call) -> Any:
    return Unknown("a random value")


class ParserV:
    """An argparse.ArgumentParser: defaults of its options by destination."""

    always_true = True
    path = "argparse.ArgumentParser"

    def __init__(self) -> None:
        self.options = NamespaceV()


@FRAMEWORK.on("argparse.ArgumentParser", "configargparse.ArgumentParser", "configargparse.ArgParser")
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
    c.machine.set_item(owner.options, dest, _option_default(c, names[0] if names else dest, dest))
    return Unknown("an option")


def _option_default(c: Call, first: str, dest: str) -> Any:
    action = plain(c.kwargs.get("action"))
    if "default" in c.kwargs:
        default = c.kwargs["default"]
        kind = plain(c.kwargs.get("type"))
        if isinstance(plain(default), str) and isinstance(kind, BuiltinV) and kind.name in ("int", "float"):
            default = c.machine.call(kind, [default], {}, c.node)
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
    return assume(default,
                  frozenset({Assumption(f"{dest} = {plain(default)!r} (default of {flag}, line {c.span.line})")}))


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
    return NamespaceV(dict(owner.options.items), owner.options.unknown)


@FRAMEWORK.on("argparse.ArgumentParser.parse_known_args")
def parse_known_args(c: Call) -> Any:
    return (parse_args(c), ListV([], Unknown("other arguments")))


@FRAMEWORK.on("argparse.ArgumentParser.error", "argparse.ArgumentParser.exit")
def parser_error(c: Call) -> Any:
    raise Raised


class FlagsV(NamespaceV):
    """absl's FLAGS: one table for the program."""

    __slots__ = ()


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
    if isinstance(plain(default), int | float | str | bool | None):
        text = f"{name} = {plain(default)!r} (default of --{name}, line {c.span.line})"
        value = assume(default, frozenset({Assumption(text)}))
    c.machine.set_item(_flags(c.machine), name, value)
    return NamespaceV({"value": value, "default": value})


class _FlagsProxy:
    """FLAGS before or after its flags are defined: attributes are looked up when used."""

    always_true = True

    def attribute(self, m: Machine, name: str) -> Any:
        flags = _flags(m)
        return flags.items.get(name, Unknown(f"flag {name}"))


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
    default = c.kwargs.get("default", Unknown(f"option {long}"))
    span = c.span

    def run(inner: Call) -> Any:
        function = plain(inner.args[0]) if inner.args else None
        if isinstance(function, FunctionV) and isinstance(plain(default), int | float | str | bool):
            text = f"{dest} = {plain(default)!r} (default of {long}, line {span.line})"
            value = assume(default, frozenset({Assumption(text)}))
            function.kw_defaults = {**function.kw_defaults, dest: value}
        return inner.args[0] if inner.args else Unknown("decorator")

    return BuiltinV("click.option", run)


@FRAMEWORK.on("click.command", "click.group", "click.pass_context", "click.version_option")
def click_command(c: Call) -> Any:
    if c.args and isinstance(plain(c.args[0]), FunctionV):
        return c.args[0]
    return BuiltinV("click.command", lambda inner: inner.args[0] if inner.args else Unknown("decorator"))


__all__ = ["FRAMEWORK", "key_of"]
