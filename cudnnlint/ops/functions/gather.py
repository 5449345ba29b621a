"""Elements picked by index: gather, take, embedding_lookup, one axis or many."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import filled, find_axis, number, rank_problem, sizes
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.functions.reshape import reshape
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, is_floating, show
from cudnnlint.values.dim import is_known


def take(value: Any, indices: Any, axis: Any, library: Library, name: str, batch: int = 0) -> Outcome:
    """`axis` replaced by the axes of `indices` (without its first `batch` ones).

    >>> print(take(Tensor((100, 16), "float32"), Tensor((32, 10), "int32"), 0, "tf", "tf.gather"))
    float32[32, 10, 16]
    """
    x, index = as_tensor(value, library), as_tensor(indices, library)
    if (refused := _of_floats(index, library, name)) is not None:
        return refused
    if axis is None and isinstance(x, Tensor):
        x, axis = reshape(x, (-1,), library, name), 0
    if not isinstance(x, Tensor):
        return x
    if isinstance(index, Unknown) or isinstance(index.shape, Unknown) or isinstance(x.shape, Unknown):
        return x.with_(shape=Unknown("indices"))
    place = find_axis(axis, len(x.shape), name, x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else x.with_(shape=place)
    if batch > len(index.shape) or batch > place:
        return x.with_(shape=Unknown("batch_dims"))
    if (wrong := _unequal(x, index, batch, name)) is not None:
        return wrong
    shape = (*x.shape[:place], *index.shape[batch:], *x.shape[place + 1:])
    return x.with_(shape=shape, content=_picked(x, index) if place == 0 and not batch else None)


def _unequal(x: Tensor, index: Tensor, batch: int, name: str) -> Mismatch | None:
    """Rows of both go together (tensorflow/core/kernels/gather_op.cc: GatherOp.Compute)."""
    if not isinstance(x.shape, tuple) or not isinstance(index.shape, tuple):
        return None
    axis = next((place for place in range(batch) if is_known(x.shape[place]) and is_known(index.shape[place])
                 and x.shape[place] != index.shape[place]), None)
    return None if axis is None else Mismatch(
        Problem.MERGE, f"{name} with batch_dims {batch}: params {show(x.shape)} and indices {show(index.shape)} differ "
        f"on axis {axis}", help="the first batch_dims axes of params and indices must be the same",
        error=f'InvalidArgumentError "params.shape[{axis}]: {x.shape[axis]} should be equal to indices.shape[{axis}]: '
              f'{index.shape[axis]}"')


def _of_floats(index: Any, library: Library, name: str) -> Mismatch | None:
    """Indices are whole numbers (tensorflow/core/ops/array_ops.cc: GatherV2, GatherNd; numpy/_core/src/multiarray/
    item_selection.c: PyArray_TakeFrom)."""
    if library not in REFUSED or not isinstance(index, Tensor) or index.kind not in ("tf", "numpy", "python") \
            or is_floating(index.dtype) is not True or index.shape == (0,):
        return None
    cast = "tf.cast(indices, tf.int32)" if library == "tf" else "indices.astype(int)"
    return Mismatch(Problem.DTYPE, f"{name} takes whole numbers for indices, got {index}", help=cast,
                    error=REFUSED[library], facts=(("dtype", index.dtype),))


REFUSED = {"tf": 'InvalidArgumentError "Value for attr \'Tindices\' of" or in a graph TypeError "Value passed to '
                 'parameter \'indices\' has DataType"',
           "numpy": 'TypeError "Cannot cast array data from"'}


def _picked(x: Tensor, index: Tensor) -> Any:
    items, places = x.content, index.content
    if not isinstance(items, tuple) or places is None:
        return None

    def one(place: Any) -> Any:
        inside = isinstance(place, int) and -len(items) <= place < len(items)
        return items[place] if inside else Unknown("index")

    return contents.small(contents.each(places, one))


@function("tensorflow.gather")
def tf_gather(params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: Any = 0,
              name: Any = None) -> Outcome:
    batch = number(batch_dims)
    if isinstance(batch, Unknown):
        return batch
    if batch < 0:  # from the end of the axes of the indices (tensorflow/python/ops/array_ops.py: batch_gather)
        index = as_tensor(indices, "tf")
        if not isinstance(index, Tensor) or not isinstance(index.shape, tuple) or len(index.shape) + batch < 0:
            return Unknown("negative batch_dims")
        batch += len(index.shape)
    return take(params, indices, batch if axis is None else axis, "tf", "tf.gather", batch)


@function("numpy.take")
def np_take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Outcome:
    return filled(out, take(a, indices, axis, "numpy", "np.take"))


@function(*paths.ops("take"))
def keras_take(x: Any, indices: Any, axis: Any = None) -> Outcome:
    return take(x, indices, axis, "keras", "keras.ops.take")


@function("keras.backend.gather")
def backend_gather(reference: Any, indices: Any) -> Outcome:
    return take(reference, indices, 0, "keras", "keras.backend.gather")


@function("tensorflow.nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> Outcome:
    if isinstance(params, (list, tuple)):
        return Unknown("sharded embedding")
    return take(params, ids, 0, "tf", "tf.nn.embedding_lookup")


@function("tensorflow.gather_nd")
def gather_nd(params: Any, indices: Any, batch_dims: Any = 0, name: Any = None,
              bad_indices_policy: Any = "") -> Outcome:
    """indices (..., k) pick whole slices: (..., rest of params after k axes)."""
    x, index, batch = as_tensor(params, "tf"), as_tensor(indices, "tf"), number(batch_dims)
    if isinstance(x, Unknown):
        return x
    if (refused := _of_floats(index, "tf", "tf.gather_nd")) is not None:
        return refused
    if isinstance(index, Unknown) or isinstance(index.shape, Unknown) or isinstance(x.shape, Unknown):
        return x.with_(shape=Unknown("indices"))
    if isinstance(batch, Unknown) or not index.shape or not isinstance(depth := index.shape[-1], int):
        return x.with_(shape=Unknown("indices"))
    if depth + batch > len(x.shape):
        return rank_problem(x, (depth + batch,), "tf.gather_nd", "params") or Unknown("rank")
    return x.with_(shape=(*index.shape[:-1], *x.shape[batch + depth:]))


def along_axis(value: Any, indices: Any, axis: Any, library: Library, name: str) -> Outcome:
    x, index = as_tensor(value, library), as_tensor(indices, library)
    if isinstance(x, Unknown):
        return x
    if isinstance(index, Unknown) or axis is None or x.rank is None:
        return x.with_(shape=index.shape if isinstance(index, Tensor) and index.rank == 1 else Unknown("indices"))
    place = find_axis(axis, x.rank, name, x)
    if isinstance(place, Mismatch):
        return place
    if isinstance(index.shape, tuple) and isinstance(x.shape, tuple) and len(index.shape) == len(x.shape):
        pairs = enumerate(zip(index.shape, x.shape, strict=True))
        return x.with_(shape=tuple(m if i == place or n == 1 else n for i, (m, n) in pairs))
    return x.with_(shape=Unknown("indices"))


@function("numpy.take_along_axis")
def np_take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Outcome:
    return along_axis(arr, indices, axis, "numpy", "np.take_along_axis")


@function(*paths.ops("take_along_axis"))
def keras_take_along_axis(x: Any, indices: Any, axis: Any = None) -> Outcome:
    return along_axis(x, indices, axis, "keras", "keras.ops.take_along_axis")


def scattered(updates: Any, shape: Any, library: Library) -> Outcome:
    x = as_tensor(updates, library)
    return Tensor(sizes(shape), x.dtype if isinstance(x, Tensor) else x)


@function("tensorflow.scatter_nd")
def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: Any = "", name: Any = None) -> Outcome:
    return scattered(updates, shape, "tf")


@function("keras.ops.scatter")
def keras_scatter(indices: Any, values: Any, shape: Any) -> Outcome:
    return scattered(values, shape, "keras")


def updated(value: Any, library: Library) -> Outcome:
    """A copy with some elements changed."""
    x = as_tensor(value, library)
    return x.with_() if isinstance(x, Tensor) else x


@function(*(f"tensorflow.tensor_scatter_nd_{kind}" for kind in ("add", "sub", "max", "min")))
def tensor_scatter_nd(tensor: Any, indices: Any, updates: Any, bad_indices_policy: Any = "",
                      name: Any = None) -> Outcome:
    return updated(tensor, "tf")


@function("tensorflow.tensor_scatter_nd_update")
def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: Any = None) -> Outcome:
    return updated(tensor, "tf")


@function("keras.ops.scatter_update", versions={"reduction": ">=3.14"})
def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Outcome:
    return updated(inputs, "keras")


@function("keras.ops.slice_update")
def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Outcome:
    return updated(inputs, "keras")
