"""SciPy: functions of each element, by themselves or of arrays that are broadcast."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import promote_numpy
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import DType, Tensor, Unknown

FLOATS = {"float32": "float32", "float64": "float64", "int32": "float64", "int64": "float64"}


def _float(dtype: DType) -> DType:
    return FLOATS.get(dtype, Unknown("dtype")) if isinstance(dtype, str) else dtype


def _of(*names: str) -> tuple[str, ...]:
    return tuple(f"scipy.special.{name}" for name in names)


@function(*_of("expit", "logit", "erf", "erfc", "erfinv", "gamma", "gammaln", "loggamma", "digamma", "psi", "j0", "j1",
               "i0", "i1", "ndtr", "softmax", "log_softmax"))
def of_each(x: Any, axis: Any = None) -> Outcome:
    """The shape stays; whole numbers become float64.

    >>> print(of_each(Tensor((3, 4), "float32", "numpy")))
    float32[3, 4]
    """
    held = as_tensor(x, "numpy")
    return held.with_(dtype=_float(held.dtype), kind="numpy") if isinstance(held, Tensor) else held


@function(*_of("jv", "jn", "yv", "iv", "kv", "xlogy", "beta", "betaln", "gammainc", "gammaincc", "spherical_jn",
               "spherical_yn"))
def of_two(a: Any, b: Any, derivative: Any = False) -> Outcome:
    """
    >>> print(of_two(1.5, Tensor((4,), "float64", "numpy")))
    float64[4]
    """
    left, right = as_tensor(a, "numpy"), as_tensor(b, "numpy")
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return Unknown("scipy.special of what is not known")
    shape = broadcast(left.shape, right.shape)
    return left.with_(shape=shape if isinstance(shape, tuple) else Unknown("operands that do not fit"),
                      dtype=_float(promote_numpy(left.dtype, right.dtype)), kind="numpy")


@function(*(f"scipy.stats.norm.{name}" for name in ("pdf", "logpdf", "cdf", "logcdf", "ppf", "sf", "isf")))
def of_normal(x: Any, loc: Any = 0, scale: Any = 1) -> Outcome:
    """Always float64 (scipy/stats/_distn_infrastructure.py: rv_continuous.pdf).

    >>> print(of_normal(Tensor((15,), "float32", "numpy")))
    float64[15]
    """
    shape: Any = ()
    for each in (x, loc, scale):
        held = as_tensor(each, "numpy")
        if not isinstance(held, Tensor):
            return Unknown("a distribution of what is not known")
        shape = broadcast(shape, held.shape)
        if not isinstance(shape, tuple):
            return Tensor(Unknown("operands that do not fit"), "float64", "numpy")
    return Tensor(shape, "float64", "numpy")
