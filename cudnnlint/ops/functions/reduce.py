"""Axes folded into one value: the shared core of sum, mean, max, argmax and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions._core import find_axes, flag, is_list, unknown_dims
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, floated, promote_keras, real_part
from cudnnlint.ops.protocol import Outcome
from cudnnlint.values import DType, Mismatch, Shape, Tensor, Unknown, is_floating
from cudnnlint.values.occurring import extremes

Rule = Callable[[DType, Library], DType]
EXTREMES = ("minimum", "maximum")


def same(dtype: DType, library: Library) -> DType:
    return dtype


def boolean(dtype: DType, library: Library) -> DType:
    return "bool"


def index(dtype: DType, library: Library) -> DType:
    """argmax and count_nonzero: int64, in Keras int32."""
    return "int32" if library == "keras" else "int64"


def summed(dtype: DType, library: Library) -> DType:
    """sum and prod widen small integers (keras/src/backend/tensorflow/numpy.py: sum; numpy.sum).

    >>> summed("uint8", "numpy"), summed("bool", "keras"), summed("int16", "tf")
    ('uint64', 'int32', 'int16')
    """
    if isinstance(dtype, Unknown) or library == "tf" or is_floating(dtype):
        return dtype
    if library == "numpy":
        widest = "uint64" if dtype.startswith("uint") else "int64"
        return widest if dtype.startswith(("int", "uint", "bool")) else dtype
    return {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}.get(dtype, dtype)


def averaged(dtype: DType, library: Library) -> DType:
    """mean: floats keep theirs, integers become floats (not in TensorFlow)."""
    if isinstance(dtype, Unknown) or library == "tf" or is_floating(dtype):
        return dtype
    return "float64" if library == "numpy" else promote_keras(dtype, "float")


def spread(dtype: DType, library: Library) -> DType:
    """std and var are real."""
    return real_part(averaged(dtype, library))


def float_rule(dtype: DType, library: Library) -> DType:
    return real_part(floated(dtype, "keras" if library == "keras" else library))


def reduced_shape(x: Tensor | Unknown, axis: Any, keepdims: Any, name: str) -> Shape | Unknown | Mismatch:
    """
    >>> reduced_shape(Tensor((2, 3, 4)), (1, 2), False, "sum"), reduced_shape(Tensor((2, 3, 4)), 1, True, "sum")
    ((2,), (2, 1, 4))
    """
    kept = flag(keepdims)
    if kept is None:
        return Unknown("keepdims")
    if axis is None and not kept:
        return ()
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return Unknown("rank")
    axes = find_axes(axis, x, name)
    if isinstance(axes, Mismatch):
        return axes
    if isinstance(axes, Unknown):
        if kept:
            return unknown_dims(len(x.shape), "axis")
        single = isinstance(axis, Tensor) and axis.rank == 0
        return unknown_dims(max(len(x.shape) - 1, 0), "axis") if single else axes
    if kept:
        return tuple(1 if i in axes else dim for i, dim in enumerate(x.shape))
    return tuple(dim for i, dim in enumerate(x.shape) if i not in axes)


def reduced(value: Any, axis: Any, keepdims: Any, rule: Rule, library: Library, name: str, fold: str = "",
            dtype: DType | None = None) -> Outcome:
    """`fold` is the operator that known elements are folded with.

    >>> print(reduced(Tensor((32, 10), "float32"), -1, False, index, "tf", "tf.argmax"))
    int64[32]
    >>> reduced([28, 28, 1], None, False, summed, "numpy", "np.prod", "*").content
    784
    """
    x = as_tensor(value, library)
    shape = reduced_shape(x, axis, keepdims, name)
    if isinstance(shape, Mismatch):
        return shape
    if isinstance(x, Unknown):
        return Tensor(shape, dtype or rule(x, library)) if shape == () else x
    found = rule(x.dtype, library) if dtype is None else dtype
    content = None
    if fold and shape == () and x.content is not None:
        content = contents.small(_folded(x.content, fold, found))
    elif fold in EXTREMES and shape == () and (held := extremes(x)) is not None:
        content = contents.fit(held.low if fold == "minimum" else held.high, found)
    return x.with_(shape=shape, dtype=found, content=content)


def _folded(content: Any, fold: str, dtype: DType) -> Any:
    items = contents.flat(content) or ()
    start = {"+": 0, "*": 1}.get(fold)
    if start is None and not items:
        return None
    total = contents.fit(start, dtype) if start is not None else contents.fit(items[0], dtype)
    for item in items if start is not None else items[1:]:
        total = contents.combine(fold, total, contents.fit(item, dtype), dtype)
    return total


def one_axis(axis: Any) -> Any:
    """argmax takes a single axis: a list is not one."""
    return Unknown("axis") if is_list(axis) else axis
