"""Python's builtin functions over abstract values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.join import join
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.objects import (
    MISSING,
    BoundV,
    BuiltinV,
    ClassV,
    External,
    FunctionV,
    GeneratorV,
    InstanceV,
    NamespaceV,
    PartialV,
    RangeV,
)
from cudnnlint.interp.registry import Call
from cudnnlint.values import Tensor, Unknown

BUILTINS: dict[str, Any] = {"None": None, "True": True, "False": False, "Ellipsis": ..., "NotImplemented": Unknown(),
                            "__name__": "__main__", "__debug__": True}
METHODS: dict[type, frozenset[str]] = {}


def builtin(name: str) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    def decorate(function: Callable[[Call], Any]) -> Callable[[Call], Any]:
        BUILTINS[name] = BuiltinV(name, function)
        return function

    return decorate


def method_exists(value: Any, name: str) -> bool:
    if isinstance(value, ListV):
        return hasattr(list, name) or name in ("shape",)
    if isinstance(value, DictV):
        return hasattr(set if value.is_set else dict, name)
    if isinstance(value, tuple):
        return hasattr(tuple, name) or name in ("as_list", "rank", "ndims", "num_elements", "concatenate",
                                                "is_fully_defined", "is_compatible_with", "with_rank", "_asdict",
                                                "numpy")
    if isinstance(value, RangeV):
        return hasattr(range, name)
    if isinstance(value, GeneratorV):
        return name in ("__next__", "send", "close")
    return hasattr(type(value), name) or name in ("as_numpy_dtype", "is_floating", "is_integer", "name", "base_dtype")


def numeric(c: Call, compute: Callable[..., Any]) -> Any:
    """Apply to plain numbers, text or bytes; Unknown otherwise."""
    values = [plain(arg) for arg in c.args]
    if values and all(isinstance(value, int | float | str | bytes) for value in values) and not c.kwargs:
        try:
            result = compute(*values)
        except Exception:  # the program's own failure
            return Unknown("a builtin that fails here")
        return assume(result, frozenset().union(*(assumptions_of(arg) for arg in c.args)))
    unknown = next((value for value in values if isinstance(value, Unknown)), None)
    return unknown or Unknown("a builtin of unknown values")


def _numeric(name: str, compute: Callable[..., Any]) -> None:
    BUILTINS[name] = BuiltinV(name, lambda c: numeric(c, compute))


_PURE: dict[str, Callable[..., Any]] = {"abs": abs, "round": round, "divmod": divmod, "pow": pow, "chr": chr,
                                        "ord": ord, "bin": bin,
                        "hex": hex, "oct": oct, "ascii": ascii, "complex": complex}
for _name, _compute in _PURE.items():
    _numeric(_name, _compute)




def _open_number(kind: type) -> Any:
    """A float that is not known is a scalar; an int may become an extent, and stays Unknown."""
    why = Unknown("a number that is not known")
    return Tensor((), why, "numpy") if kind is float else why


def _number(kind: type) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        if not c.args:
            return kind()
        value = plain(c.args[0])
        if isinstance(value, Tensor):
            content = value.content
            return kind(content) if isinstance(content, int | float) else _open_number(kind)
        if not isinstance(value, int | float | str):
            return _open_number(kind)
        return numeric(c, kind)

    return run


BUILTINS["int"] = BuiltinV("int", _number(int))
BUILTINS["float"] = BuiltinV("float", _number(float))


@builtin("str")
@builtin("repr")
def to_text(c: Call) -> Any:
    if not c.args:
        return ""
    value = plain(c.args[0])
    if isinstance(value, str | int | float | bool) or value is None:
        return assume(str(value), assumptions_of(c.args[0]))
    return Unknown("text of an unknown value")


@builtin("bool")
def to_bool(c: Call) -> Any:
    from cudnnlint.interp.operators import truth

    if not c.args:
        return False
    verdict = truth(c.args[0])
    return Unknown("an unknown condition") if verdict is None else assume(verdict, assumptions_of(c.args[0]))


@builtin("len")
def length(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements

    value = plain(c.args[0]) if c.args else Unknown("len")
    if isinstance(value, Tensor):
        from cudnnlint.values.dim import is_known

        return value.shape[0] if isinstance(value.shape, tuple) and value.shape and is_known(value.shape[0]) \
            else Unknown("the length of a tensor")
    if (own := getattr(value, "length", None)) is not None:
        return own(c.machine)
    if isinstance(value, InstanceV):
        from cudnnlint.interp.attributes import method_of

        method = method_of(value, "__len__")
        return c.machine.call(method, [], {}, c.node) if method is not MISSING else Unknown("len of an object")
    found = elements(c.machine, value)
    return found if isinstance(found, Unknown) else assume(len(found), assumptions_of(c.args[0]))


@builtin("range")
def range_(c: Call) -> Any:
    values = [plain(arg) for arg in c.args]
    values = [value.content if isinstance(value, Tensor) else value for value in values]
    if (values and all(isinstance(value, int) for value in values) and len(values) <= 3
            and (len(values) < 3 or values[2])):
        found = frozenset().union(*(assumptions_of(arg) for arg in c.args))
        made: Any = RangeV(range(*values))
        if found:
            from cudnnlint.values import Assumed

            return Assumed(made, found)
        return made
    return Unknown("a range of unknown length")


def _sequence(kind: str) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        from cudnnlint.interp.iterate import elements

        if not c.args:
            return {"list": ListV(), "tuple": (), "set": DictV(is_set=True), "frozenset": DictV(is_set=True)}[kind]
        found = elements(c.machine, c.args[0])
        assumed = assumptions_of(c.args[0])
        if isinstance(found, Unknown):
            return {"list": ListV([], found), "tuple": found}.get(kind, DictV({}, found, is_set=True))
        if len(found) > c.machine.limits.items:
            return Unknown("a long sequence")
        items = [assume(item, assumed) for item in found]
        if kind == "list":
            return ListV(items)
        if kind == "tuple":
            return tuple(items)
        keys = [key_of(item) for item in items]
        unknown = next((key for key in keys if isinstance(key, Unknown)), None)
        return DictV({} if unknown else dict.fromkeys(keys), unknown, is_set=True)

    return run


for _name in ("list", "tuple", "set", "frozenset"):
    BUILTINS[_name] = BuiltinV(_name, _sequence(_name))


@builtin("dict")
def dict_(c: Call) -> Any:
    from cudnnlint.interp.binding import STAR
    from cudnnlint.interp.iterate import elements

    result = DictV()
    if STAR in c.kwargs:
        result.unknown = c.kwargs[STAR]
    if c.args:
        value = plain(c.args[0])
        if isinstance(value, DictV):
            result.items, result.unknown = dict(value.items), value.unknown
        else:
            found = elements(c.machine, value)
            for pair in () if isinstance(found, Unknown) else found:
                if isinstance(pair, tuple) and len(pair) == 2 and not isinstance(key_of(pair[0]), Unknown):
                    result.items[key_of(pair[0])] = pair[1]
                else:
                    result.unknown = Unknown("an unknown item")
            if isinstance(found, Unknown):
                result.unknown = found
    result.items.update({key: value for key, value in c.kwargs.items() if key != STAR})
    return result


@builtin("zip")
def zip_(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements, sample

    columns = [elements(c.machine, arg) for arg in c.args]
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    if unknown:
        typical = tuple(sample(c.machine, arg) if isinstance(column, Unknown)
                        else (join(list(column)) if column else unknown)
                        for arg, column in zip(c.args, columns, strict=True))
        return GeneratorV(ListV([typical], unknown), complete=False)
    assumed = [assumptions_of(arg) for arg in c.args]
    rows = zip(*columns, strict=False)
    return GeneratorV(ListV([tuple(assume(item, taken) for item, taken in zip(row, assumed, strict=True))
                             for row in rows]), complete=True)


@builtin("enumerate")
def enumerate_(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements, sample

    start = plain(c.get(1, "start", 0))
    source = c.args[0] if c.args else c.kwargs.get("iterable", Unknown())
    found = elements(c.machine, source)
    if isinstance(found, Unknown) or not isinstance(start, int) or len(found) > c.machine.limits.items:
        typical = (Unknown("index"), sample(c.machine, source))
        return GeneratorV(ListV([typical], Unknown("enumeration of an unknown value")), complete=False)
    taken = assumptions_of(source)
    return GeneratorV(ListV([(i, assume(item, taken)) for i, item in enumerate(found, start)]), complete=True)


@builtin("reversed")
def reversed_(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements

    found = elements(c.machine, c.args[0])
    return found if isinstance(found, Unknown) else GeneratorV(ListV(list(found)[::-1]), complete=True)


@builtin("sorted")
def sorted_(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements

    found = elements(c.machine, c.args[0])
    raw = [] if isinstance(found, Unknown) else [plain(item) for item in found]
    if not isinstance(found, Unknown) and not c.kwargs.keys() - {"reverse"} and (
            all(isinstance(item, int | float) for item in raw) or all(isinstance(item, str) for item in raw)):
        flag = plain(c.kwargs.get("reverse", False))
        if isinstance(flag, bool):
            assert not isinstance(found, Unknown)
            taken = frozenset().union(*(assumptions_of(item) for item in found))
            return ListV([assume(item, taken) for item in sorted(raw, reverse=flag)])
    return ListV([], Unknown("an order that is not known"))


def _extreme(pick: Callable[..., Any]) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        from cudnnlint.interp.iterate import elements

        found: Any = c.args if len(c.args) > 1 else elements(c.machine, c.args[0]) if c.args else Unknown("nothing")
        if isinstance(found, Unknown) or set(c.kwargs) - {"default"} or not found:
            return found if isinstance(found, Unknown) else c.kwargs.get("default", Unknown("max or min with a key"))
        raw = [plain(item) for item in found]
        if all(isinstance(item, int | float) for item in raw):
            return assume(pick(raw), frozenset().union(*(assumptions_of(item) for item in found)))
        return Unknown("max or min of unknown values")

    return run


BUILTINS["max"] = BuiltinV("max", _extreme(max))
BUILTINS["min"] = BuiltinV("min", _extreme(min))


@builtin("sum")
def sum_(c: Call) -> Any:
    import ast

    from cudnnlint.interp.iterate import elements
    from cudnnlint.interp.operators import binary

    found = elements(c.machine, c.args[0])
    if isinstance(found, Unknown):
        return found
    total = c.get(1, "start", 0)
    for item in found:
        c.machine.tick()
        total = binary(c.machine, ast.Add(), total, item, c.node)
    return total


def _quantifier(wanted: bool) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        from cudnnlint.interp.iterate import elements
        from cudnnlint.interp.operators import truth

        found = elements(c.machine, c.args[0])
        if isinstance(found, Unknown):
            return found
        verdicts = [truth(item) for item in found]
        if wanted in verdicts:
            return wanted
        return Unknown("an unknown condition") if None in verdicts else not wanted

    return run


BUILTINS["any"] = BuiltinV("any", _quantifier(True))
BUILTINS["all"] = BuiltinV("all", _quantifier(False))


@builtin("map")
def map_(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements

    columns = [elements(c.machine, arg) for arg in c.args[1:]]
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    if unknown or not columns:
        return unknown or Unknown("map of nothing")
    return GeneratorV(ListV([c.machine.call(c.args[0], list(row), {}, c.node) for row in zip(*columns, strict=False)]),
                      complete=True)


@builtin("filter")
def filter_(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements
    from cudnnlint.interp.operators import truth

    found = elements(c.machine, c.args[1])
    if isinstance(found, Unknown):
        return found
    keep: list[Any] = []
    for item in found:
        verdict = truth(c.machine.call(c.args[0], [item], {}, c.node) if plain(c.args[0]) is not None else item)
        if verdict is None:
            return Unknown("filtered by an unknown condition")
        if verdict:
            keep.append(item)
    return GeneratorV(ListV(keep), complete=True)


@builtin("isinstance")
def isinstance_(c: Call) -> Any:
    from cudnnlint.interp.typing_ import is_instance

    verdict = is_instance(plain(c.args[0]), plain(c.args[1])) if len(c.args) == 2 else None
    return Unknown("isinstance of an unknown value") if verdict is None else assume(verdict, assumptions_of(c.args[0]))


@builtin("issubclass")
def issubclass_(c: Call) -> Any:
    return Unknown("issubclass")


@builtin("callable")
def callable_(c: Call) -> Any:
    from cudnnlint.interp.attributes import is_callable

    verdict = is_callable(c.args[0]) if c.args else None
    return Unknown("callable of an unknown value") if verdict is None else verdict


@builtin("getattr")
def getattr_(c: Call) -> Any:
    from cudnnlint.interp.attributes import getattr_value

    return getattr_value(c.machine, c.args[0], c.args[1], c.args[2] if len(c.args) > 2 else MISSING, c.node)


@builtin("hasattr")
def hasattr_(c: Call) -> Any:
    from cudnnlint.interp.attributes import get_attribute

    name = plain(c.args[1])
    value = plain(c.args[0])
    if isinstance(name, str) and not isinstance(value, Unknown):
        found = get_attribute(c.machine, value, name, c.node)
        if not isinstance(found, Unknown | External):
            return True
        if isinstance(value, NamespaceV) and not value.unknown:
            return name in value.items
        if (isinstance(value, InstanceV) and value.cls.sealed and not value.unknown
                and value.cls.external_base() is None):
            return name in value.items or value.cls.lookup(name) is not MISSING
    return Unknown("hasattr")


@builtin("setattr")
def setattr_(c: Call) -> Any:
    from cudnnlint.interp.attributes import set_attribute

    name = plain(c.args[1])
    target = plain(c.args[0])
    if isinstance(name, str):
        set_attribute(c.machine, target, name, c.args[2])
    elif isinstance(target, InstanceV | NamespaceV):
        c.machine.heap.touch(target)
        target.unknown = Unknown("setattr with an unknown name")
    return None


@builtin("type")
def type_(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else None
    if len(c.args) == 1 and isinstance(value, InstanceV):
        return value.cls
    if len(c.args) == 1 and isinstance(value, bool | int | float | str):
        return BUILTINS.get(type(value).__name__, Unknown("type"))
    if len(c.args) == 1 and isinstance(value, ListV | tuple | DictV):
        return BUILTINS[{ListV: "list", tuple: "tuple", DictV: "dict"}[type(value)]]
    return Unknown("type of an unknown value")


@builtin("super")
def super_(c: Call) -> Any:
    from cudnnlint.interp.classes import SuperV

    if c.args:
        cls, instance = plain(c.args[0]), plain(c.args[1]) if len(c.args) > 1 else None
        return SuperV(cls, instance) if isinstance(cls, ClassV) and instance is not None else Unknown("super()")
    for frame in reversed(c.machine.frames):
        function = frame.function
        if function is not None and function.owner is not None:
            arguments = function.node.args
            names = [*arguments.posonlyargs, *arguments.args]
            if names:
                return SuperV(function.owner, plain(frame.scope.items.get(names[0].arg)))
    return Unknown("super()")


@builtin("next")
def next_(c: Call) -> Any:
    from cudnnlint.interp.iterate import sample

    value = plain(c.args[0])
    if isinstance(value, GeneratorV) and value.complete and value.elements.items and not value.elements.unknown:
        c.machine.heap.touch(value.elements)
        return value.elements.items.pop(0)
    return sample(c.machine, value)


@builtin("iter")
def iter_(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements

    value = plain(c.args[0])
    if isinstance(value, ListV | tuple | DictV | RangeV):
        found = elements(c.machine, value)
        if not isinstance(found, Unknown) and len(found) <= c.machine.limits.items:
            return GeneratorV(ListV(found), complete=True)
    return value


def _nothing(c: Call) -> Any:
    return None


for _name in ("print", "breakpoint", "delattr", "exec", "help"):
    BUILTINS[_name] = BuiltinV(_name, _nothing)


def _forgetful(c: Call) -> Any:
    """exec and eval may rebind names of the scope they run in."""
    scope = c.machine.frame.scope
    if c.callee is not None and getattr(c.callee, "name", "") == "exec":
        c.machine.heap.touch(scope)
        scope.items.clear()
        scope.unknown = Unknown("exec")
        return None
    return Unknown("eval")


BUILTINS["exec"] = BuiltinV("exec", _forgetful)
BUILTINS["eval"] = BuiltinV("eval", _forgetful)


def _unknown(name: str) -> BuiltinV:
    return BuiltinV(name, lambda c: Unknown(f"{name}()"))


for _name in ("open", "input", "globals", "locals", "vars", "dir", "id", "hash", "memoryview", "bytearray", "bytes",
              "__import__", "compile", "format", "slice", "object"):
    BUILTINS.setdefault(_name, _unknown(_name))


@builtin("slice")
def slice_(c: Call) -> Any:
    return slice(*c.args) if 1 <= len(c.args) <= 3 else Unknown("slice")


@builtin("staticmethod")
@builtin("classmethod")
@builtin("property")
def wrapped_method(c: Call) -> Any:
    return c.args[0] if c.args else Unknown("property")


def _exit(c: Call) -> Any:
    from cudnnlint.interp.heap import Raised

    raise Raised


for _name in ("exit", "quit"):
    BUILTINS[_name] = BuiltinV(_name, _exit)
for _name in ("property", "staticmethod", "classmethod"):
    BUILTINS[_name] = BuiltinV(_name, wrapped_method)
for _name in ("Exception", "ValueError", "TypeError", "RuntimeError", "KeyError", "NotImplementedError", "ImportError",
              "AttributeError", "IndexError", "StopIteration", "OSError", "IOError", "FileNotFoundError",
              "AssertionError",
              "KeyboardInterrupt", "SystemExit", "Warning", "UserWarning", "DeprecationWarning", "ModuleNotFoundError",
              "ZeroDivisionError", "OverflowError", "UnicodeDecodeError", "NameError", "LookupError", "ArithmeticError",
              "BaseException", "TimeoutError", "PermissionError", "EOFError", "MemoryError", "FutureWarning"):
    BUILTINS[_name] = External(f"builtins.{_name}")

__all__ = ["BUILTINS", "BoundV", "FunctionV", "PartialV", "builtin", "method_exists"]
