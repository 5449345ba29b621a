"""Order along an axis: sort, argsort, top_k, and the running sums."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import filled, find_axis, number, set_dim
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, as_dtype
from cudnnlint.ops.functions.order import placed, running, vector
from cudnnlint.ops.functions.reduce import same, summed
from cudnnlint.ops.functions.reshape import reshape
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Tensor, Unknown


def ordered(value: Any, axis: Any, library: Library, name: str, dtype: DType | None = None) -> Outcome:
    """Same shape; without an axis numpy flattens first."""
    x = as_tensor(value, library)
    if axis is None and isinstance(x, Tensor):
        x, axis = reshape(x, (-1,), library, name), 0
    if not isinstance(x, Tensor):
        return x
    found = find_axis(axis, x.rank, name, x) if x.rank is not None else None
    kept = x.shape if x.shape != () else Unknown("order of a scalar")
    return found if isinstance(found, Mismatch) else x.with_(shape=kept, dtype=x.dtype if dtype is None else dtype)


def _with_content(made: Outcome, content: Any) -> Outcome:
    return made.with_(content=content) if isinstance(made, Tensor) and content else made


@function("tensorflow.sort")
def tf_sort(values: Any, axis: Any = -1, direction: Any = "ASCENDING", name: Any = None) -> Outcome:
    return ordered(values, axis, "tf", "tf.sort")


@function("tensorflow.argsort")
def tf_argsort(values: Any, axis: Any = -1, direction: Any = "ASCENDING", stable: Any = False,
               name: Any = None) -> Outcome:
    return ordered(values, axis, "tf", "tf.argsort", "int32")


@function("numpy.sort")
def np_sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None,
            descending: Any = False) -> Outcome:
    """`descending` is there from NumPy 2.5 on."""
    held = None if descending else vector(as_tensor(a, "numpy"))
    return _with_content(ordered(a, axis, "numpy", "np.sort"), held and tuple(sorted(held)))


@function("numpy.argsort")
def np_argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None,
               descending: Any = False) -> Outcome:
    """`descending` is there from NumPy 2.5 on."""
    held = None if descending else vector(as_tensor(a, "numpy"))
    return _with_content(ordered(a, axis, "numpy", "np.argsort", "int64"), held and placed(held))


@function("numpy.partition")
def np_partition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Outcome:
    return ordered(a, axis, "numpy", "np.partition")


@function("numpy.argpartition")
def np_argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Outcome:
    return ordered(a, axis, "numpy", "np.argpartition", "int64")


@function(*paths.ops("sort"))
def keras_sort(x: Any, axis: Any = -1) -> Outcome:
    return ordered(x, axis, "keras", "keras.ops.sort")


@function(*paths.ops("argsort"))
def keras_argsort(x: Any, axis: Any = -1) -> Outcome:
    return ordered(x, axis, "keras", "keras.ops.argsort", "int32")


@function(*paths.ops("argpartition"))
def keras_argpartition(x: Any, kth: Any, axis: Any = -1) -> Outcome:
    return ordered(x, axis, "keras", "keras.ops.argpartition", "int32")


def top_k(value: Any, k: Any, library: Library, name: str, index: DType = "int32") -> Outcome:
    """(values, indices), both (..., k).

    >>> [str(part) for part in top_k(Tensor((32, 10), "float32"), 3, "tf", "tf.math.top_k")]
    ['float32[32, 3]', 'int32[32, 3]']
    """
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or not x.shape:
        return Unknown("top_k")
    count = number(k)
    last = x.shape[-1]
    if isinstance(count, int) and isinstance(last, int) and count > last:
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: k is {count}, the last axis of {x} has {last}",
                        error='InvalidArgumentError "input must have at least k columns"', argument="k",
                        facts=(("k", count), ("size", last)))
    size: Dim = count if isinstance(count, int) and count >= 0 else Unknown("k")
    made = x.with_(shape=set_dim(x.shape, len(x.shape) - 1, size))
    return (made, made.with_(dtype=index))


@function("tensorflow.math.top_k", "tensorflow.nn.top_k")
def tf_top_k(input: Any, k: Any = 1, sorted: Any = True, index_type: Any = "int32", name: Any = None) -> Outcome:
    return top_k(input, k, "tf", "tf.math.top_k", as_dtype(index_type, "int32"))


@function("keras.ops.top_k")
def keras_top_k(x: Any, k: Any, sorted: Any = True) -> Outcome:
    return top_k(x, k, "keras", "keras.ops.top_k")


def hits(targets: Any, library: Library) -> Outcome:
    x = as_tensor(targets, library)
    return Tensor(x, "bool") if isinstance(x, Unknown) else x.with_(dtype="bool")


@function("tensorflow.math.in_top_k", "tensorflow.nn.in_top_k")
def tf_in_top_k(targets: Any, predictions: Any, k: Any, name: Any = None) -> Outcome:
    return hits(targets, "tf")


@function("keras.ops.in_top_k")
def keras_in_top_k(targets: Any, predictions: Any, k: Any) -> Outcome:
    return hits(targets, "keras")


@function("keras.backend.in_top_k")
def backend_in_top_k(predictions: Any, targets: Any, k: Any) -> Outcome:
    return hits(targets, "keras")


@function(*paths.math("cumsum"), "tensorflow.math.cumprod", "tensorflow.math.cumulative_logsumexp")
def tf_cumsum(x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False, name: Any = None) -> Outcome:
    return ordered(x, axis, "tf", "tf.cumsum")


def _numpy_running(called: str) -> paths.Builder:
    def build(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Outcome:
        x = as_tensor(a, "numpy")
        found = as_dtype(dtype, summed(x.dtype if isinstance(x, Tensor) else x, "numpy"), "numpy")
        made = ordered(a, axis, "numpy", f"np.{called}", found)
        return filled(out, _with_content(made, running(called, x, found)))

    return build


for _name in ("cumsum", "cumprod"):
    paths.spell(_numpy_running(_name), f"numpy.{_name}", f"numpy.nan{_name}")


@function(*paths.ops("cumsum"), *paths.ops("cumprod"))
def keras_cumsum(x: Any, axis: Any = None, dtype: Any = None) -> Outcome:
    tensor = as_tensor(x, "keras")
    own = tensor.dtype if isinstance(tensor, Tensor) else tensor
    return ordered(x, axis, "keras", "keras.ops.cumsum", as_dtype(dtype, "int32" if own == "bool" else own, "keras"))


@function("keras.backend.cumsum", "keras.backend.cumprod")
def backend_cumsum(x: Any, axis: Any = 0) -> Outcome:
    tensor = as_tensor(x, "keras")
    return ordered(x, axis, "keras", "keras.backend.cumsum", same(tensor.dtype, "keras")
                   if isinstance(tensor, Tensor) else tensor)


@function("numpy.searchsorted")
def np_searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Outcome:
    x = as_tensor(v, "numpy")
    return Tensor(x, "int64") if isinstance(x, Unknown) else x.with_(dtype="int64")


@function("numpy.digitize")
def np_digitize(x: Any, bins: Any, right: Any = False) -> Outcome:
    tensor = as_tensor(x, "numpy")
    return Tensor(tensor, "int64") if isinstance(tensor, Unknown) else tensor.with_(dtype="int64")
