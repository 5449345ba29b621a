"""NumPy's types as objects: np.dtype, np.finfo, np.iinfo, and what is a kind of what."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.numpy.library import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External, NamespaceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_shape, broadcast
from cudnnlint.ops.functions.dtypes import as_dtype, promote_numpy
from cudnnlint.values import DType, Tensor, Unknown

BITS = {"float16": 16, "float32": 32, "float64": 64, "bool": 8, **{
    f"{sign}int{bits}": bits for sign in ("", "u") for bits in (8, 16, 32, 64)}}
KINDS = {"generic": "", "number": "iufc", "integer": "iu", "signedinteger": "i", "unsignedinteger": "u",
         "inexact": "fc", "floating": "f", "complexfloating": "c", "bool_": "b"}
"""Abstract types of NumPy -> the kinds of dtypes beneath them (numpy.org/doc: Scalars); "" for any."""


def _dtype(value: Any) -> DType:
    held = strip(value)
    if isinstance(held, Tensor):
        return held.dtype
    if isinstance(held, float):
        return "float64"
    return Unknown("dtype") if isinstance(held, int | list | tuple) or held is None else as_dtype(held, "", "numpy")


@FRAMEWORK.on("scipy.sparse.issparse", "scipy.sparse.isspmatrix")
def issparse(c: Call) -> Any:
    """Arrays are not, nor are lists."""
    held = plain(c.get(0, "x"))
    return False if isinstance(held, Tensor | ListV) else Unknown("whether a matrix is sparse")


@FRAMEWORK.on("numpy.dtype")
def dtype(c: Call) -> Any:
    held = _dtype(c.get(0, "dtype"))
    return held if held in BITS else Unknown("a dtype")


@FRAMEWORK.on("numpy.finfo", "jax.numpy.finfo")
def finfo(c: Call) -> Any:
    """Its numbers are scalars of the dtype."""
    own = _dtype(c.get(0, "dtype"))
    if own not in ("float16", "float32", "float64"):
        return Unknown("finfo()")
    one = Tensor((), own, "numpy")
    names = ("max", "min", "eps", "tiny", "resolution", "smallest_normal", "smallest_subnormal", "epsneg")
    return NamespaceV({**dict.fromkeys(names, one), "bits": BITS[own], "dtype": own})


@FRAMEWORK.on("numpy.iinfo", "jax.numpy.iinfo")
def iinfo(c: Call) -> Any:
    own = _dtype(c.get(0, "type", c.kwargs.get("int_type")))
    if not isinstance(own, str) or "int" not in own or own not in BITS:
        return Unknown("iinfo()")
    bits = BITS[own]
    top = bits if own.startswith("u") else bits - 1
    return NamespaceV({"max": (1 << top) - 1, "min": 0 if top == bits else -(1 << top), "bits": bits, "dtype": own})


@FRAMEWORK.on("numpy.issubdtype")
def issubdtype(c: Call) -> Any:
    """Whether the first is a kind of the second, an abstract type or a dtype."""
    own, other = _dtype(c.get(0, "arg1")), plain(c.get(1, "arg2"))
    if not isinstance(own, str) or own not in BITS:
        return Unknown("issubdtype()")
    kind = "b" if own == "bool" else own[0]
    name = other.path.rpartition(".")[2] if isinstance(other, External) else ""
    if name in KINDS:
        return kind in KINDS[name] if KINDS[name] else True
    exact = _dtype(other)
    return own == exact if exact in BITS else Unknown("issubdtype()")


@FRAMEWORK.on("numpy.promote_types")
def promote_types(c: Call) -> Any:
    return promote_numpy(_dtype(c.get(0, "type1")), _dtype(c.get(1, "type2")))


@FRAMEWORK.on("numpy.broadcast_shapes")
def broadcast_shapes(c: Call) -> Any:
    shape: Any = ()
    for arg in c.args:
        shape = broadcast(shape, as_shape(strip(arg)))
        if not isinstance(shape, tuple):
            return Unknown("broadcast_shapes()")
    return shape
