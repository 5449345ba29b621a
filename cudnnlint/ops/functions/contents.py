"""Known elements of small tensors: what arithmetic on shapes, `tf.shape(x)[1] // 2`, needs to stay exact.

A content is a scalar (int, float, bool, str, a free or unknown extent) or nested tuples of them.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cudnnlint.ops.functions import near_floats
from cudnnlint.values import DType, Symbol, Unknown
from cudnnlint.values.dim import computed
from cudnnlint.values.near_float import Near

LIMIT = 64
"""Contents with more elements are dropped."""

Scalar = Any
Content = Any

PACKED = {"float32": "f", "float16": "e"}
INTEGER_BITS = {"int8": (-7, 7), "int16": (-15, 15), "int32": (-31, 31), "int64": (-63, 63),
                "uint8": (0, 8), "uint16": (0, 16), "uint32": (0, 32), "uint64": (0, 64)}


def fit(value: Scalar, dtype: DType) -> Scalar:
    """`value` as an element of a `dtype` tensor holds it: rounded, or Unknown where it would wrap.

    >>> fit(0.1, "float32"), fit(2.9, "int32"), fit(2**31, "int32"), fit(3, "float32")
    (0.10000000149011612, 2, Unknown(why='overflow'), 3.0)
    """
    if isinstance(value, Near) and not isinstance(dtype, Unknown):
        return _fit_near(value, dtype)
    if isinstance(value, Unknown) or isinstance(dtype, Unknown):
        return value if isinstance(value, Unknown) else Unknown("dtype")
    if isinstance(value, Symbol):
        return value if dtype in INTEGER_BITS else Unknown("a free extent as a float")
    if isinstance(value, str):
        return value if dtype == "string" else Unknown("text")
    if not isinstance(value, (bool, int, float)):
        return Unknown("element")
    try:
        return _fit_number(value, dtype)
    except (OverflowError, ValueError, struct.error):
        return Unknown("overflow")


def _fit_number(value: bool | int | float, dtype: str) -> Scalar:
    if dtype == "bool":
        return bool(value)
    if dtype in INTEGER_BITS:
        low, high = INTEGER_BITS[dtype]
        whole = int(value)
        return whole if (-(1 << -low) if low else 0) <= whole < (1 << high) else Unknown("overflow")
    if dtype in PACKED:
        code = PACKED[dtype]
        return float(struct.unpack(code, struct.pack(code, float(value)))[0])
    return float(value) if dtype == "float64" else Unknown("dtype")


def _fit_near(value: Near, dtype: str) -> Scalar:
    if dtype == "float64":
        return value
    if dtype == "float32":
        return near_floats.about((value.low, value.high), dtype)
    return fit(near_floats.whole(value), dtype) if dtype in INTEGER_BITS else Unknown("the last bits of a float")


def each(content: Content, function: Callable[[Scalar], Scalar]) -> Content:
    """Map over the elements; None stays None."""
    if content is None:
        return None
    if isinstance(content, tuple):
        return tuple(each(item, function) for item in content)
    return function(content)


def leaves(content: Content) -> Iterator[Scalar]:
    if isinstance(content, tuple):
        for item in content:
            yield from leaves(item)
    else:
        yield content


def cast(content: Content, dtype: DType) -> Content:
    return each(content, lambda value: fit(value, dtype))


def small(content: Content) -> Content:
    """`content`, or None when it is too large or nothing in it is known."""
    if content is None:
        return None
    count, known = 0, False
    for item in leaves(content):
        count += 1
        known = known or not isinstance(item, Unknown) or isinstance(item, Near)
        if count > LIMIT:
            return None
    return content if known or count == 0 else None


def folded(value: Content, shape: tuple[int, ...]) -> Content:
    """`value` repeated to a full content of `shape`, or None when it is too large.

    >>> folded(0, (2, 2))
    ((0, 0), (0, 0))
    """
    if math.prod(shape) > LIMIT:
        return None
    for size in reversed(shape):
        value = (value,) * size
    return value


def flat(content: Content) -> tuple[Scalar, ...] | None:
    return None if content is None else tuple(leaves(content))


def nest(items: tuple[Scalar, ...], shape: tuple[int, ...]) -> Content:
    """Elements in row-major order as nested tuples of `shape`.

    >>> nest((1, 2, 3, 4), (2, 2))
    ((1, 2), (3, 4))
    """
    if not shape:
        return items[0] if items else None
    step = math.prod(shape[1:])
    return tuple(nest(items[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0]))


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return a ** b if 0 <= b <= LIMIT and abs(a) < 1 << 32 else Unknown("power")
    exact = b in (0, 1, 2) or (math.frexp(a)[0] == 0.5 and b % 1 == 0 and abs(b) <= LIMIT)
    return a ** b if exact else near_floats.combined("**", a, b)


COMPUTE: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": _power, "maximum": max, "minimum": min,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "&": lambda a, b: a and b if isinstance(a, bool) and isinstance(b, bool) else a & b,
    "|": lambda a, b: a or b if isinstance(a, bool) and isinstance(b, bool) else a | b,
    "^": operator.xor, "<<": lambda a, b: a << b if 0 <= b < LIMIT else Unknown("shift"), ">>": operator.rshift,
    "logical_and": lambda a, b: bool(a) and bool(b), "logical_or": lambda a, b: bool(a) or bool(b),
    "logical_xor": lambda a, b: bool(a) != bool(b), "squared_difference": lambda a, b: (a - b) * (a - b),
}
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
NEUTRAL = {"+": 0, "-": 0, "*": 1, "//": 1, "**": 1}


def pair(op: str, a: Scalar, b: Scalar) -> Scalar:
    """One element of `a op b`. A free extent stays free under arithmetic, and itself under a neutral operand."""
    for item in (a, b):
        if isinstance(item, Unknown) and not isinstance(item, Near):
            return item
    if isinstance(a, Symbol) or isinstance(b, Symbol):
        return _free(op, a, b)
    compute = COMPUTE.get(op)
    floats = isinstance(a, float) or isinstance(b, float)
    if compute is None or isinstance(a, str) or isinstance(b, str) or (floats and op in ("//", "%")):
        return Unknown(op)  # floor(a / b) differs between libraries in the last bit
    try:
        return compute(a, b) if not isinstance(a, Near) and not isinstance(b, Near) else near_floats.combined(op, a, b)
    except (ArithmeticError, ValueError, TypeError):
        return Unknown(f"{op} fails")


def _free(op: str, a: Scalar, b: Scalar) -> Scalar:
    if op in COMPARISONS or op not in COMPUTE or op.startswith("logical"):
        return Unknown("comparison of a free extent")
    if isinstance(a, Symbol) and not isinstance(b, Symbol) and NEUTRAL.get(op) == b:
        return a
    if isinstance(b, Symbol) and op in ("+", "*") and NEUTRAL[op] == a:
        return b
    if op == "*" and (a == 0 or b == 0):
        return 0
    both = isinstance(a, Symbol) and isinstance(b, Symbol)
    if any(isinstance(item, float) for item in (a, b)) or op not in ("+", "*", "-", "//") or (both and op in "-//"):
        return Unknown("a number that depends on a free extent")
    return computed(op, a, b)


def combine(op: str, a: Content, b: Content, dtype: DType) -> Content:
    """Elements of `a op b` of equal rank, or with one a scalar; an axis of 1 is repeated. None when not known.

    >>> combine("*", (Symbol(), 3), 2, "int32")
    (Symbol(name='None'), 6)
    """
    if a is None or b is None:
        return None
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            one, other = (a, b) if len(a) == 1 else (b, a)
            if len(one) != 1:
                return None
            one = one * len(other)
            a, b = (one, other) if len(a) == 1 else (other, one)
        found = tuple(combine(op, x, y, dtype) for x, y in zip(a, b, strict=True))
        return None if None in found else found
    if isinstance(a, tuple):
        return tuple(combine(op, x, b, dtype) for x in a)
    if isinstance(b, tuple):
        return tuple(combine(op, a, y, dtype) for y in b)
    return fit(pair(op, a, b), dtype)


def replaced(content: Content, at: Any, item: Any, dtype: DType) -> Content:
    """Elements of a vector after `x[at] = item`; None where either is not one that is known.

    >>> replaced((1.0, 2.0), -1, 24, "float32"), replaced(((1,), (2,)), 0, 5, "int64")
    ((1.0, 24.0), None)
    """
    if not isinstance(content, tuple) or type(at) is not int or not -len(content) <= at < len(content):
        return None
    if isinstance(content[at], tuple) or not isinstance(item, int | float):
        return None
    at %= len(content)
    return small((*content[:at], fit(item, dtype), *content[at + 1:]))


def inserted(content: Content, at: Any, item: Any, dtype: DType) -> Content:
    """Elements of a vector after `np.insert(x, at, item)`.

    >>> inserted((1.0, 2.0), 0, 0, "float32")
    (0.0, 1.0, 2.0)
    """
    if not isinstance(content, tuple) or type(at) is not int or not -len(content) <= at <= len(content):
        return None
    if any(isinstance(one, tuple) for one in content) or not isinstance(item, int | float):
        return None
    at += len(content) if at < 0 else 0
    return small((*content[:at], fit(item, dtype), *content[at:]))


def without(content: Content, places: Any) -> Content:
    """Elements of a vector after `np.delete(x, places)`.

    >>> without((5, 6, 7, 8), (0, -1)), without((5, 6), 1)
    ((6, 7), (5,))
    """
    gone = places if isinstance(places, list | tuple) else (places,)
    if not isinstance(content, tuple) or any(type(one) is not int for one in gone):
        return None
    size = len(content)
    if any(not -size <= one < size for one in gone):
        return None
    left = {one % size for one in gone} if size else ()
    return tuple(one for place, one in enumerate(content) if place not in left)
