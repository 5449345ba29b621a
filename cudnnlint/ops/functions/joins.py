"""Spellings of concat, stack and their kin."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import filled
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.join import concat, stack, stacked_axis
from cudnnlint.ops.functions.reshape import reshape
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Tensor


@function("tensorflow.concat")
def tf_concat(values: Any, axis: Any, name: Any = "concat") -> Outcome:
    """A single tensor is returned as it is (tensorflow/python/ops/array_ops.py: concat)."""
    return values if isinstance(values, Tensor) else concat(values, axis, "tf", "tf.concat")


@function("numpy.concatenate", "numpy.concat")
def np_concatenate(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None,
                   casting: Any = "same_kind") -> Outcome:
    if axis is None:
        flat = [reshape(value, (-1,), "numpy", "np.concatenate") for value in arrays] \
            if isinstance(arrays, (list, tuple)) else arrays
        return filled(out, concat(flat, 0, "numpy", "np.concatenate", dtype))
    return filled(out, concat(arrays, axis, "numpy", "np.concatenate", dtype))


@function(*paths.ops("concatenate"))
def keras_concatenate(xs: Any, axis: Any = 0) -> Outcome:
    return concat(xs, axis, "keras", "keras.ops.concatenate")


@function("keras.backend.concatenate")
def backend_concatenate(tensors: Any, axis: Any = -1) -> Outcome:
    return concat(tensors, axis, "keras", "keras.backend.concatenate")


@function("numpy.append")
def np_append(arr: Any, values: Any, axis: Any = None) -> Outcome:
    if axis is None:
        parts = [reshape(value, (-1,), "numpy", "np.append") for value in (arr, values)]
        return concat(parts, 0, "numpy", "np.append")
    return concat([as_tensor(arr, "numpy"), as_tensor(values, "numpy")], axis, "numpy", "np.append")


@function(*paths.ops("append"))
def keras_append(x1: Any, x2: Any, axis: Any = None) -> Outcome:
    if axis is None:
        parts = [reshape(value, (-1,), "keras", "keras.ops.append") for value in (x1, x2)]
        return concat(parts, 0, "keras", "keras.ops.append")
    return concat([as_tensor(x1, "keras"), as_tensor(x2, "keras")], axis, "keras", "keras.ops.append")


@function("tensorflow.stack")
def tf_stack(values: Any, axis: Any = 0, name: Any = "stack") -> Outcome:
    return stack(values, axis, "tf", "tf.stack")


@function("tensorflow.parallel_stack")
def tf_parallel_stack(values: Any, name: Any = "parallel_stack") -> Outcome:
    return stack(values, 0, "tf", "tf.parallel_stack")


@function("numpy.stack")
def np_stack(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind") -> Outcome:
    return filled(out, stack(arrays, axis, "numpy", "np.stack", dtype))


@function(*paths.ops("stack"), "keras.backend.stack")
def keras_stack(x: Any, axis: Any = 0) -> Outcome:
    return stack(x, axis, "keras", "keras.ops.stack")


@function("numpy.hstack")
def np_hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Outcome:
    return stacked_axis(tup, 1, 1, "numpy", "np.hstack", dtype)


@function("numpy.vstack", "numpy.row_stack")
def np_vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Outcome:
    return stacked_axis(tup, 0, 2, "numpy", "np.vstack", dtype)


@function("numpy.dstack")
def np_dstack(tup: Any) -> Outcome:
    return stacked_axis(tup, 2, 3, "numpy", "np.dstack")


@function("numpy.column_stack")
def np_column_stack(tup: Any) -> Outcome:
    """Vectors become columns."""
    if not isinstance(tup, (list, tuple)):
        return stacked_axis(tup, 1, 1, "numpy", "np.column_stack")
    columns = []
    for value in tup:
        x = as_tensor(value, "numpy")
        short = isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) == 1
        columns.append(x.with_(shape=(*x.shape, 1)) if short else x)  # type: ignore[misc, union-attr]
    return concat(columns, 1, "numpy", "np.column_stack")


@function(*paths.ops("hstack"))
def keras_hstack(xs: Any) -> Outcome:
    return stacked_axis(xs, 1, 1, "keras", "keras.ops.hstack")


@function(*paths.ops("vstack"))
def keras_vstack(xs: Any) -> Outcome:
    """Vectors are joined end to end, not stacked as numpy's are (keras/src/ops/numpy.py: Vstack)."""
    return concat(xs, 0, "keras", "keras.ops.vstack")


@function(*paths.ops("dstack"))
def keras_dstack(xs: Any) -> Outcome:
    return stacked_axis(xs, 2, 3, "keras", "keras.ops.dstack")
