"""Python's builtin functions over abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from cudnnlint.interp.builtin.kinds import TEXTS_OF_TYPES
from cudnnlint.interp.graphs.open_extents import INTERPRETED, OF_INT, refuse_number_of
from cudnnlint.interp.graphs.placeholders import refuse_number, refuse_symbolic
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import in_turn
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.lists import LabelsV
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.members import as_number
from cudnnlint.interp.mistakes.lengths import tell_of_fraction, tell_of_range, tell_of_unsized
from cudnnlint.interp.mistakes.no_containers import tell_of_no_container
from cudnnlint.interp.mistakes.one_value import tell_of_condition, tell_of_length, tell_of_number
from cudnnlint.interp.mistakes.subscripted import tell_of_counted, tell_of_no_length
from cudnnlint.interp.objects import (
    MISSING,
    BuiltinV,
    External,
    GeneratorV,
    InstanceV,
    OpenRangeV,
    RangeV,
)
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.near_floats import whole
from cudnnlint.ops.misgiven_torch import DTYPES
from cudnnlint.values import Symbol, Tensor, Unknown
from cudnnlint.values.near_float import Near
from cudnnlint.values.numpy_int import number_in
from cudnnlint.values.unknown import Drawn, length_of, loose

BUILTINS: dict[str, Any] = {"None": None, "True": True, "False": False, "Ellipsis": ..., "NotImplemented": Unknown(),
                            "__name__": "__main__", "__debug__": True}
METHODS: dict[type, frozenset[str]] = {}
OF_DEQUE = frozenset({"appendleft", "extendleft", "popleft", "rotate"})
"""What a deque, which is a list here, can do beyond one."""
OF_LABELS = frozenset({"tolist", "to_list"})
"""What is known of an Index of pandas, which no method changes."""
BEYOND_DICT = frozenset({"move_to_end", "most_common", "subtract", "total"})
"""What an OrderedDict and a Counter, which are dicts here, can do beyond one."""


def builtin(name: str) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    def decorate(function: Callable[[Call], Any]) -> Callable[[Call], Any]:
        BUILTINS[name] = BuiltinV(name, function)
        return function

    return decorate


def method_exists(value: Any, name: str) -> bool:
    if isinstance(value, LabelsV):
        return name in OF_LABELS
    if isinstance(value, ListV):
        return hasattr(list, name) or name in OF_DEQUE
    if isinstance(value, DictV):
        return hasattr(set, name) if value.is_set else hasattr(dict, name) or name in BEYOND_DICT
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
    values = [number_in(as_number(plain(arg))) for arg in c.args]
    if values and all(isinstance(value, (int, float, str, bytes)) for value in values) and not c.kwargs:
        try:
            result = compute(*values)
        except Exception:  # the program's own failure
            return Unknown("a builtin that fails here")
        if isinstance(result, int) and result.bit_length() > c.machine.limits.number_bits:
            return Unknown("a huge number")
        return assume(result, frozenset().union(*(assumptions_of(arg) for arg in c.args)))
    if isinstance(values[0] if values else None, Tensor) and compute in (abs, rounded):
        return values[0].with_() if "complex" not in str(values[0].dtype) else Unknown("abs() of complex numbers")
    unknown = next((value for value in values if isinstance(value, Unknown)), None)
    return loose(unknown) if unknown else Unknown("a builtin of unknown values")


def power(base: Any, exponent: Any, *modulus: Any) -> Any:
    """pow() of numbers that end; OverflowError else."""
    is_whole = isinstance(base, int) and isinstance(exponent, int) and not modulus
    if is_whole and base.bit_length() * abs(exponent) > 1 << 16:
        raise OverflowError
    return pow(base, exponent, *modulus)


def rounded(value: Any, digits: int | None = None) -> Any:
    """round() to digits that some number has; OverflowError else."""
    if digits is not None and abs(digits) > 1 << 12:
        raise OverflowError
    return round(value, digits)


def _numeric(name: str, compute: Callable[..., Any]) -> None:
    BUILTINS[name] = BuiltinV(name, lambda c: numeric(c, compute))


_PURE: dict[str, Callable[..., Any]] = {"abs": abs, "round": rounded, "divmod": divmod, "pow": power, "chr": chr,
                                        "ord": ord, "bin": bin,
                        "hex": hex, "oct": oct, "ascii": ascii, "complex": complex}
for _name, _compute in _PURE.items():
    _numeric(_name, _compute)




def _open_number(kind: type, value: Any) -> Any:
    """A float that is not known is a scalar; an int may become an extent, and stays a number that is not known."""
    why = value if isinstance(value, Unknown) and value.why else Unknown("a number that is not known", number=True)
    if kind is float:
        return Tensor((), why, "numpy")
    if type(why) is Drawn:
        return replace(why, number=True)
    return Unknown(why.why, number=True, loop=why.loop) if type(why) is Unknown else why


def _number(kind: type) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        if not c.args:
            return kind()
        value = as_number(plain(c.args[0]))
        if isinstance(value, Tensor):
            if c.machine.placeholders:
                refuse_number(c.machine, value, kind.__name__, c.span)
            refuse_symbolic(c.machine, value, f"{kind.__name__}()", c.span)
            tell_of_number(c.machine, value, kind.__name__, c.span)
            content = whole(value.content) if kind is int and isinstance(value.content, Near) else value.content
            return kind(content) if isinstance(content, (int, float)) else _open_number(kind, value)
        if not isinstance(value, (int, float, str)):
            refuse_number_of(c.machine, value, f"{kind.__name__}()", OF_INT, c.node)
            return _open_number(kind, value)
        if isinstance(value, str):
            _read(c, kind, value)
        return numeric(c, kind)

    return run


def _read(c: Call, kind: type, text: str) -> None:
    """`int("")` raises ValueError, which the program may handle."""
    from cudnnlint.interp.raising import would_raise

    if len(c.args) > 1 or c.kwargs:
        return
    try:
        kind(text)
    except ValueError:
        would_raise(c.machine, ValueError)


BUILTINS["int"] = BuiltinV("int", _number(int))
BUILTINS["float"] = BuiltinV("float", _number(float))


@builtin("repr")
@builtin("str")
def to_text(c: Call) -> Any:
    if not c.args:
        return ""
    value = plain(c.args[0])
    spelled = repr if getattr(plain(c.callee), "name", "") == "repr" else str
    if isinstance(value, str) and value in DTYPES and c.machine.frame.module.source.says("torch"):
        return Unknown("text of a dtype")  # "torch.float32", unless it is a text or NumPy's
    if isinstance(value, (str, int, float, bool)) or value is None:
        return assume(spelled(value), assumptions_of(c.args[0]))
    if isinstance(value, ListV | DictV | tuple):
        return _text_of_items(c, value)
    if isinstance(value, External) and value.path in TEXTS_OF_TYPES:
        return TEXTS_OF_TYPES[value.path]
    written = getattr(value, "as_text", None)
    return written() if written is not None else Unknown("text of an unknown value")


def _is_plain(item: Any, seen: Iterator[int], most: int) -> bool:
    """Whether `item` is a plain value or is made of such, of at most so many parts."""
    held = plain(item)
    if next(seen) >= most:  # each part is a letter at least: what holds the same twice, again and again, is a long text
        return False
    if isinstance(held, ListV | DictV):
        if held.unknown or getattr(held, "is_set", False):
            return False
        parts: Any = held.items if isinstance(held, ListV) else (*held.items, *held.items.values())
        return all(_is_plain(part, seen, most) for part in parts)
    if isinstance(held, tuple):
        return all(_is_plain(part, seen, most) for part in held)
    return isinstance(held, str | int | float | None)


def _text_of_items(c: Call, value: Any) -> Any:
    """Of a list, tuple or dict of plain values; sets are in an order of their own."""
    from cudnnlint.interp.convert import strip

    most = c.machine.limits.text
    if not _is_plain(value, count(), most):
        return Unknown("text of unknown values")
    found: set[Any] = set()
    text = str(strip(value, found))
    return assume(text, frozenset(found)) if len(text) <= most else Unknown("a long text")


@builtin("bool")
def to_bool(c: Call) -> Any:
    from cudnnlint.interp.builtin.special import tested
    from cudnnlint.interp.comparison import truth

    if not c.args:
        return False
    value = tested(c.machine, c.args[0], c.node)
    verdict = truth(value)
    if verdict is None and type(held := plain(value)) is Tensor:
        tell_of_condition(c.machine, held, c.span)
    return Unknown("an unknown condition") if verdict is None else assume(verdict, assumptions_of(value))


@builtin("len")
def length(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else Unknown("len")
    if isinstance(value, Tensor):
        from cudnnlint.values.dim import is_known

        if c.machine.placeholders:
            refuse_number(c.machine, value, "len", c.span)
        refuse_symbolic(c.machine, value, "len()", c.span)
        tell_of_length(c.machine, value, c.span)
        if isinstance(value.shape, tuple) and value.shape and not isinstance(value.shape[0], Symbol):
            return value.shape[0] if is_known(value.shape[0]) \
                else length_of(value.shape[0], "the length of a tensor")
        return Unknown("the length of a tensor", number=True)
    if (own := getattr(value, "length", None)) is not None:
        if getattr(value, "unsized", ""):
            tell_of_unsized(c.machine, value, c.span)
        return own(c.machine)
    if isinstance(value, InstanceV):
        from cudnnlint.interp.attributes import method_of

        method = method_of(value, "__len__")
        if method is not MISSING:
            given = c.machine.call(method, [], {}, c.node)
            if not isinstance(plain(given), int):
                tell_of_fraction(c.machine, value, given, c.span)
            return given
        if value.chain is None:
            tell_of_no_length(c.machine, value, c.span)
        return value.chain.length(c.machine) if value.chain is not None else Unknown("len of an object")
    if isinstance(value, ModelV) and isinstance(c.node, ast.Call) and c.node.args:
        tell_of_no_container(c.machine, value, c.node, c.node.args[0], "measured with len()")
    if type(c.node) is ast.Call and (type(value) is ListV or isinstance(value, Unknown)):
        tell_of_counted(c.machine, c.node)
    found = in_turn(c.machine, value)
    return Unknown(found.why, number=True) if isinstance(found, Unknown) \
        else assume(len(found), assumptions_of(c.args[0]))


@builtin("range")
def range_(c: Call) -> Any:
    values = [plain(arg) for arg in c.args]
    for value in values if c.machine.placeholders else ():
        refuse_number(c.machine, value, "range", c.span)
    if len(values) == 1:
        refuse_number_of(c.machine, values[0], "range()", INTERPRETED, c.node)
    tell_of_range(c.machine, c.args, c.node)
    values = [value.content if isinstance(value, Tensor) else value for value in values]
    if (values and all(isinstance(value, int) and abs(value) < 1 << 62 for value in values) and len(values) <= 3
            and (len(values) < 3 or values[2])):  # len() takes no more
        found = frozenset().union(*(assumptions_of(arg) for arg in c.args))
        made: Any = RangeV(range(*values))
        if found:
            from cudnnlint.values import Assumed

            return Assumed(made, found)
        return made
    return OpenRangeV(*([0, *values] if len(values) == 1 else values)) if 1 <= len(values) <= 3 else OpenRangeV()


def _nothing(c: Call) -> Any:
    return None


for _name in ("print", "breakpoint", "exec", "help"):
    BUILTINS[_name] = BuiltinV(_name, _nothing)


def _unknown(name: str, number: bool = False) -> BuiltinV:
    return BuiltinV(name, lambda c: Unknown(f"{name}()", number=number))


for _name in ("open", "input", "globals", "locals", "vars", "dir", "memoryview", "bytearray", "bytes", "__import__",
              "compile", "format", "slice", "object"):
    BUILTINS.setdefault(_name, _unknown(_name))
for _name in ("id", "hash"):
    BUILTINS[_name] = _unknown(_name, number=True)


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
