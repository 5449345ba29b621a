"""Arithmetic on floats that are known but for their last bits: what rounds to a whole number is exact again."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cudnnlint.values.near_float import Near
from cudnnlint.values.unknown import Unknown

Number = int | float
WHY = "the last bits of a float"
MARGIN = {"float64": 2.0 ** -46, "float32": 2.0 ** -20}
"""How far, of a value, two libraries may be apart: some dozens of units in the last place, where numpy/_core/tests and
tensorflow/core/kernels allow themselves 4."""

RISING: Mapping[str, Callable[[float], float]] = {
    "log": math.log, "log10": math.log10, "log2": math.log2, "log1p": math.log1p, "exp": math.exp, "expm1": math.expm1,
    "exp2": lambda v: 2.0 ** v, "sqrt": math.sqrt, "tanh": math.tanh, "arctan": math.atan, "atan": math.atan,
    "sinh": math.sinh, "cbrt": lambda v: math.copysign(abs(v) ** (1 / 3), v)}
"""Functions that grow with their argument, of which the last bits differ."""
ROUNDING: Mapping[str, Callable[[float], int]] = {
    "floor": math.floor, "ceil": math.ceil, "rint": round, "trunc": math.trunc, "sign": lambda v: (v > 0) - (v < 0)}
ORDER: Mapping[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
CORNERS: Mapping[str, Callable[[Number, Number], Number]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow,
    "maximum": max, "minimum": min}


def ends(value: Any) -> tuple[Number, Number]:
    return (value.low, value.high) if isinstance(value, Near) else (value, value)


def about(values: Iterable[Number], dtype: str = "float64") -> Any:
    """What lies between `values`, and so far beyond them as a library may be off.

    >>> made = about([math.log(100)])
    >>> made.low < math.log(100) < made.high
    True
    """
    low, high = min(held := [float(value) for value in values]), max(held)
    if not (math.isfinite(low) and math.isfinite(high)):
        return Unknown(WHY)
    margin = max(abs(low), abs(high)) * MARGIN[dtype]
    return Near(WHY, low=low - margin, high=high + margin)


def whole(value: Near, rounding: Callable[[float], int] = math.trunc) -> Any:
    """The whole number that both ends are rounded to, or Unknown.

    >>> whole(about([4.605])), whole(about([6.0])), whole(about([6.0]), round)
    (4, Unknown(why='the last bits of a float'), 6)
    """
    low, high = rounding(value.low), rounding(value.high)
    return low if low == high else Unknown(WHY)


def mapped(op: str, value: Any) -> Any:
    """A function of one number that is known, or of one that nearly is; there is none of log(0).

    >>> mapped("log", 0.0), mapped("exp", 1e6)
    (Unknown(why='log'), Unknown(why='exp'))
    """
    try:
        return _mapped(op, value)
    except (ValueError, OverflowError):
        return Unknown(op)


def _mapped(op: str, value: Any) -> Any:
    if not isinstance(value, Near):
        return about([RISING[op](value)]) if op in RISING else Unknown(op)
    low, high = value.low, value.high
    if op in ROUNDING:
        return whole(value, ROUNDING[op])
    if op in RISING:
        return about(map(RISING[op], (low, high)))
    if op == "neg":
        return Near(WHY, low=-high, high=-low)
    if op == "abs" and (low > 0 or high < 0):
        return Near(WHY, low=min(abs(low), abs(high)), high=max(abs(low), abs(high)))
    if op == "square" and (low > 0 or high < 0):
        return about([low * low, high * high])
    return value if op == "pos" else Unknown(op)


def combined(op: str, a: Any, b: Any) -> Any:
    """`a op b` where one of them is Near, or where the result is.

    >>> combined("<", about([2.5]), 3), combined("**", 2.0, 0.5).low < 2 ** 0.5
    (True, True)
    """
    (least, most), (low, high) = ends(a), ends(b)
    if op in ORDER:
        found = {ORDER[op](x, y) for x in (least, most) for y in (low, high)}
        return found.pop() if len(found) == 1 else Unknown(WHY)
    if op in ("==", "!="):
        return op == "!=" if most < low or high < least else Unknown(WHY)
    if op not in CORNERS or (op == "/" and low <= 0 <= high) or (op == "**" and least <= 0):
        return Unknown(op)
    return about(CORNERS[op](x, y) for x in (least, most) for y in (low, high))
