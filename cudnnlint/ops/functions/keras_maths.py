"""keras.ops.numpy: the mathematics that TensorFlow has no function of the same name for."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import given, is_list, number, rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, as_dtype, floated, promote_keras
from cudnnlint.ops.functions.elementwise import binary
from cudnnlint.ops.functions.maths import mapped, same
from cudnnlint.ops.functions.ranges import linspace
from cudnnlint.ops.functions.reduce import index, one_axis, reduced
from cudnnlint.ops.functions.sorting import ordered
from cudnnlint.ops.functions.split import split
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Tensor, Unknown, is_floating


def widened(dtype: DType, library: Library = "keras") -> DType:
    """Floats keep theirs, int64 becomes float64 and all else floatx (keras/src/ops/numpy.py: Cbrt, Corrcoef, I0).

    >>> widened("int64"), widened("int32"), widened("float16")
    ('float64', 'float32', 'float16')
    """
    return "float64" if dtype == "int64" else floated(dtype, "keras")


def narrowed(dtype: DType, library: Library = "keras") -> DType:
    """Floats keep theirs, all else is floatx (keras/src/ops/numpy.py: Percentile)."""
    return dtype if isinstance(dtype, Unknown) or is_floating(dtype) else "float32"


def dtype_of(value: Any) -> DType:
    x = as_tensor(value, "keras")
    return x.dtype if isinstance(x, Tensor) else x


def common(*values: Any) -> DType:
    """keras.backend.result_type of arguments, of which Python numbers count little."""
    names = [{bool: "bool", int: "int", float: "float"}.get(type(value)) or dtype_of(value) for value in values]
    return promote_keras(*names)


def _x(name: str, rule: Any) -> paths.Builder:
    def build(x: Any) -> Outcome:
        return mapped(name, x, rule, "keras")

    return build


def _pair(name: str, rule: Any) -> paths.Builder:
    def build(x1: Any, x2: Any) -> Outcome:
        made = binary("+", x1, x2, "keras", f"keras.ops.{name}")
        return made.with_(dtype=rule(common(x1, x2))) if isinstance(made, Tensor) else made

    return build


def _real(dtype: DType) -> DType:
    return promote_keras(dtype, "float") if isinstance(dtype, str) else dtype


def _whole(dtype: DType) -> DType:
    """fmod of bools is int32 (keras/src/backend/tensorflow/numpy.py: fmod)."""
    return "int32" if dtype == "bool" else dtype


def _integer(dtype: DType) -> DType:
    return dtype if is_floating(dtype) is False and dtype != "bool" else Unknown("gcd of what are no integers")


def _heavy(dtype: DType) -> DType:
    return Unknown("heaviside of bools") if dtype == "bool" else widened(dtype)


def _register() -> None:
    for name in ("cbrt", "deg2rad", "rad2deg", "i0"):
        paths.spell(_x(name, widened), *paths.ops(name))
    paths.spell(_x("erfc", lambda dtype, _: narrowed(dtype)), "keras.ops.erfc")
    for name, rule in (("fmod", _whole), ("gcd", _integer), ("lcm", _integer), ("heaviside", _heavy),
                       ("logaddexp2", _real), ("nextafter", _real)):
        paths.spell(_pair(name, rule), *paths.ops(name))


_register()


@function(*paths.ops("ldexp"))
def ldexp(x1: Any, x2: Any) -> Outcome:
    """The first is a float, or made one; the second does not count."""
    made = binary("+", x1, x2, "keras", "keras.ops.ldexp")
    return made.with_(dtype=_real(dtype_of(x1))) if isinstance(made, Tensor) else made


@function(*paths.ops("allclose"))
def allclose(x1: Any, x2: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Outcome:
    made = binary("isclose", x1, x2, "keras", "keras.ops.allclose")
    return made.with_(shape=()) if isinstance(made, Tensor) else made


@function(*paths.ops("flipud"))
def flipud(x: Any) -> Outcome:
    held = as_tensor(x, "keras")
    return held.with_() if isinstance(held, Tensor) else held


@function(*paths.ops("fliplr"))
def fliplr(x: Any) -> Outcome:
    held = as_tensor(x, "keras")
    if isinstance(held, Tensor) and held.rank == 1:
        return rank_problem(held, (2, 3), "keras.ops.fliplr", "x") or held
    return flipud(x)


@function(*paths.ops("hsplit"))
def hsplit(x: Any, indices_or_sections: Any) -> Outcome:
    held = as_tensor(x, "keras")
    axis = 0 if isinstance(held, Tensor) and held.rank == 1 else 1
    return split(held, indices_or_sections, axis, "keras", "keras.ops.hsplit")


def _along(axis: int, name: str) -> paths.Builder:
    def build(x: Any, indices_or_sections: Any) -> Outcome:
        return split(x, indices_or_sections, axis, "keras", f"keras.ops.{name}")

    return build


paths.spell(_along(0, "vsplit"), *paths.ops("vsplit"))
paths.spell(_along(2, "dsplit"), *paths.ops("dsplit"))


def _arg(name: str) -> paths.Builder:
    def build(x: Any, axis: Any = None, keepdims: Any = False) -> Outcome:
        return reduced(x, one_axis(axis), keepdims, index, "keras", f"keras.ops.{name}")

    return build


for _name in ("nanargmax", "nanargmin"):
    paths.spell(_arg(_name), *paths.ops(_name))


@function(*paths.ops("nancumsum"), *paths.ops("nancumprod"))
def nancumsum(x: Any, axis: Any = None, dtype: Any = None) -> Outcome:
    own = dtype_of(x)
    return ordered(x, axis, "keras", "keras.ops.nancumsum", as_dtype(dtype, "int32" if own == "bool" else own, "keras"))


def ranked(x: Any, q: Any, axis: Any, keepdims: Any, name: str) -> Outcome:
    """One value for each of `q`, which come first (keras/src/ops/numpy.py: Percentile, Quantile)."""
    made = reduced(x, axis, keepdims, narrowed, "keras", f"keras.ops.{name}")
    if not isinstance(made, Tensor) or not isinstance(made.shape, tuple):
        return made
    wanted = as_tensor(q, "keras")
    if not isinstance(wanted, Tensor) or wanted.rank not in (0, 1) or (is_list(q) and wanted.shape == (1,)):
        return made.with_(shape=Unknown("how many quantiles"))  # of one in a list some functions make an axis
    many = wanted.shape if isinstance(wanted.shape, tuple) else ()
    return made.with_(shape=(*many, *made.shape))


def _quantile(name: str) -> paths.Builder:
    def build(x: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False) -> Outcome:
        return ranked(x, q, axis, keepdims, name)

    return build


for _name in ("percentile", "quantile", "nanpercentile", "nanquantile"):
    paths.spell(_quantile(_name), *paths.ops(_name))


@function(*paths.ops("trapezoid"))
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Outcome:
    return reduced(y, one_axis(axis), False, narrowed, "keras", "keras.ops.trapezoid")


def counted(x: Any, name: str) -> Outcome:
    held = as_tensor(x, "keras")
    return held.with_(dtype="int32") if isinstance(held, Tensor) else Tensor(held, "int32")


@function(*paths.ops("searchsorted"))
def searchsorted(sorted_sequence: Any, values: Any, side: Any = "left") -> Outcome:
    return counted(values, "searchsorted")


@function(*paths.ops("digitize"))
def digitize(x: Any, bins: Any) -> Outcome:
    return counted(x, "digitize")


@function(*paths.ops("isin"))
def isin(x1: Any, x2: Any, assume_unique: Any = False, invert: Any = False) -> Outcome:
    held = as_tensor(x1, "keras")
    return held.with_(dtype="bool") if isinstance(held, Tensor) else Tensor(held, "bool")


def _window(name: str) -> paths.Builder:
    def build(x: Any) -> Outcome:
        return of_length(x)

    return build


def of_length(count: Any) -> Tensor:
    """keras.ops.hanning(n) and its kin: n numbers of floatx."""
    size = number(count)
    return Tensor((size if isinstance(size, int) and size >= 0 else Unknown("length of a window"),), "float32")


for _name in ("bartlett", "blackman", "hamming", "hanning"):
    paths.spell(_window(_name), *paths.ops(_name))


@function(*paths.ops("kaiser"))
def kaiser(x: Any, beta: Any) -> Outcome:
    return of_length(x)


def _spaced(start: Any, stop: Any, num: Any, dtype: Any, axis: Any) -> Outcome:
    own: DType = as_dtype(dtype, _real(common(*given(start, stop))), "keras")
    made = linspace(start, stop, num, axis, own, "keras")
    return made.with_(content=None) if isinstance(made, Tensor) else made


@function(*paths.ops("logspace"))
def logspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10, dtype: Any = None,
             axis: Any = 0) -> Outcome:
    return _spaced(start, stop, num, dtype, axis)


@function(*paths.ops("geomspace"))
def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: Any = 0) -> Outcome:
    return _spaced(start, stop, num, dtype, axis)


def column(x: Tensor, count: Any) -> Dim:
    assert isinstance(x.shape, tuple)
    size = x.shape[0] if count is None else number(count)
    return size if not isinstance(size, int) or size >= 0 else Unknown("N")


@function(*paths.ops("vander"))
def vander(x: Any, N: Any = None, increasing: Any = False) -> Outcome:
    held = as_tensor(x, "keras")
    if not isinstance(held, Tensor) or not isinstance(held.shape, tuple):
        return Unknown("vander")
    if wrong := rank_problem(held, (1,), "keras.ops.vander", "x"):
        return wrong
    return held.with_(shape=(held.shape[0], column(held, N)), dtype=same(held.dtype, "keras"))
