"""NumPy: elements put in and taken out, and arrays made of parts between brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.ops.arith import lift, taken
from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions._core import find_axis, is_list, known_size, number, numbers, set_dim
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype, promote_numpy
from cudnnlint.ops.functions.join import concat
from cudnnlint.ops.functions.reshape import reshape
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Tensor, Unknown


def placed(indices: Any, values: Any, axis: int | None) -> Dim:
    """How many rows np.insert adds: one for each index; for a single index as many as there are values."""
    if is_list(indices) and not (isinstance(indices, Tensor) and indices.content is None):
        found = numbers(indices)
        if isinstance(found, tuple) and len(found) > 1:
            return len(found)
        return Unknown("how many rows are inserted")
    if isinstance(number(indices), Unknown):
        return Unknown("how many rows are inserted")
    held = as_tensor(values, "numpy")
    if isinstance(held, Unknown) or not isinstance(held.shape, tuple):
        return Unknown("how many rows are inserted")
    if held.shape == () or axis not in (None, 0):
        return 1 if len(held.shape) < 2 else Unknown("how many rows are inserted")
    return held.shape[0] if axis is None and len(held.shape) == 1 else 1 if len(held.shape) == 1 \
        else Unknown("how many rows are inserted")


@function("numpy.insert")
def np_insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Outcome:
    """
    >>> print(np_insert(Tensor((60, 5), "float32"), 0, 1, 1))
    float32[60, 6]
    """
    x = as_tensor(arr, "numpy")
    if axis is None and isinstance(x, Tensor):
        x = reshape(x, (-1,), "numpy", "np.insert")
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown):
        return x
    place = 0 if axis is None else find_axis(axis, len(x.shape), "np.insert", x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else x.with_(shape=Unknown("axis"))
    more = placed(obj, values, None if axis is None else place)
    if axis is not None and len(x.shape) == 1:
        more = placed(obj, values, None)
    content = contents.inserted(x.content, obj, values, x.dtype) if len(x.shape) == 1 else None
    return x.with_(shape=set_dim(x.shape, place, lift(lambda n, m: n + m, x.shape[place], more)), content=content)


def removed(obj: Any, size: Dim) -> Dim:
    """How many rows np.delete takes away, of indices that differ."""
    if isinstance(obj, slice):
        return _slice_length(obj, size)
    if is_list(obj):
        found = numbers(obj)
        flags = str(obj.dtype) == "bool" if isinstance(obj, Tensor) else any(isinstance(one, bool) for one in obj)
        known = isinstance(found, tuple) and all(isinstance(one, int) for one in found)
        if known and isinstance(found, tuple) and isinstance(size, int) and size and not flags:
            return len({one % size for one in found})
        return Unknown("rows left")
    return 1 if isinstance(number(obj), int) and not isinstance(obj, bool) else Unknown("rows left")


def _slice_length(part: slice, size: Dim) -> Dim:
    bounds = (part.start, part.stop, part.step)
    if not isinstance(size, int) or not all(one is None or isinstance(one, int) for one in bounds) or part.step == 0:
        return Unknown("rows left")
    return taken(part, size)


@function("numpy.delete")
def delete(arr: Any, obj: Any, axis: Any = None) -> Outcome:
    """
    >>> print(delete(Tensor((60, 5), "float32"), 2, 1))
    float32[60, 4]
    >>> delete([5, 6, 7, 8], (0, -1)).content
    (6, 7)
    """
    x = as_tensor(arr, "numpy")
    if axis is None and isinstance(x, Tensor):
        x = reshape(x, (-1,), "numpy", "np.delete")
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown):
        return x
    place = 0 if axis is None else find_axis(axis, len(x.shape), "np.delete", x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else x.with_(shape=Unknown("axis"))
    size = x.shape[place]
    left = lift(lambda n, m: n - m, size, removed(obj, size))
    return x.with_(shape=set_dim(x.shape, place, left if not isinstance(left, int) or left >= 0 else Unknown("rows")),
                   content=contents.without(x.content, obj) if len(x.shape) == 1 else None)


LONGEST = 1 << 62
"""No range is longer than what Python counts with."""


def ranged(part: slice) -> Tensor | Unknown:
    """`0:10:2` within brackets, or `0:1:5j` for as many points."""
    start, stop, step = (0 if part.start is None else part.start), part.stop, 1 if part.step is None else part.step
    if isinstance(step, complex) and isinstance(stop, int | float) and isinstance(start, int | float):
        return Tensor((int(abs(step)),), "float64", "numpy")
    if not all(type(one) is int and abs(one) <= LONGEST for one in (start, stop, step)) or step == 0:
        return Unknown("a range")
    return Tensor((len(range(start, stop, step)),), "int64", "numpy")


def bracketed(parts: Sequence[Any], columns: bool) -> Outcome:
    """`np.r_[a, 1:5]` joins along the first axis, `np.c_[a, b]` vectors as columns along the last
    (numpy/lib/_index_tricks_impl.py: AxisConcatenator).
    """
    made: list[Any] = []
    for part in parts:
        if isinstance(part, str):
            return Unknown("a direction between brackets")
        one = ranged(part) if isinstance(part, slice) else as_tensor(part, "numpy")
        if isinstance(one, Unknown) or isinstance(one.shape, Unknown):
            return Unknown("parts between brackets")
        shape = (*(one.shape or (1,)), 1) if columns and len(one.shape) < 2 else one.shape or (1,)
        made.append(one.with_(shape=shape))
    if len({len(one.shape) for one in made}) != 1:
        return Unknown("parts of different rank between brackets")
    return concat(made, -1 if columns else 0, "numpy", "np.c_" if columns else "np.r_")


@function("numpy.indices")
def indices(dimensions: Any, dtype: Any = int, sparse: Any = False) -> Outcome:
    """
    >>> print(indices((3, 4)))
    int64[2, 3, 4]
    """
    found = numbers(dimensions)
    if isinstance(found, Unknown) or sparse is not False or not _are_sizes(found):
        return Unknown("indices")
    return Tensor((len(found), *found), as_dtype(dtype, "int64", "numpy"), "numpy")


def _are_sizes(values: Any) -> bool:
    return not any(isinstance(value, int) and value < 0 for value in values)


@function("numpy.compress")
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Outcome:
    """As many rows as the condition says yes."""
    x = as_tensor(a, "numpy")
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown):
        return x
    place = None if axis is None else find_axis(axis, len(x.shape), "np.compress", x)
    if place is None:
        return x.with_(shape=(Unknown("how many are true"),))
    shape = set_dim(x.shape, place, Unknown("how many are true")) if isinstance(place, int) else Unknown("axis")
    return place if isinstance(place, Mismatch) else x.with_(shape=shape)


@function("numpy.select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Outcome:
    """All broadcast together."""
    from cudnnlint.ops.arith import broadcast

    if not isinstance(condlist, list | tuple) or not isinstance(choicelist, list | tuple) or not condlist:
        return Unknown("np.select")
    shape: Any = ()
    for one in (*condlist, *choicelist, default):
        held = as_tensor(one, "numpy")
        shape = held if isinstance(held, Unknown) else broadcast(shape, held.shape)
        if not isinstance(shape, tuple):
            return Unknown("np.select")
    values = [as_tensor(one, "numpy") for one in choicelist]
    arrays = all(isinstance(one, Tensor) for one in choicelist)
    dtype = promote_numpy(*(one.dtype for one in values if isinstance(one, Tensor))) if arrays \
        else Unknown("dtype of np.select")
    return Tensor(shape, dtype, "numpy")


def windows(x: Tensor, shape: Any, axis: Any) -> Outcome:
    """Each axis keeps the places where a window fits; the windows' axes come last."""
    assert isinstance(x.shape, tuple)
    sizes = numbers(shape) if is_list(shape) else (number(shape),)
    if isinstance(sizes, Unknown) or not _are_sizes(sizes):
        return x.with_(shape=Unknown("window_shape"))
    if axis is None:
        axes: Any = tuple(range(len(x.shape)))
    else:
        named = numbers(axis) if is_list(axis) else (number(axis),)
        axes = [find_axis(one, len(x.shape), "np.sliding_window_view", x) for one in named] \
            if isinstance(named, tuple) else Unknown("axis")
    if isinstance(axes, Unknown) or not all(isinstance(one, int) for one in axes) or len(axes) != len(sizes):
        return x.with_(shape=Unknown("axis"))
    dims = list(x.shape)
    for place, size in zip(axes, sizes, strict=True):
        dims[place] = known_size(lift(lambda n, k: n - k + 1, dims[place], size))
    return x.with_(shape=(*dims, *sizes))


@function("numpy.lib.stride_tricks.sliding_window_view")
def sliding_window_view(x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False,
                        writeable: Any = False) -> Outcome:
    """
    >>> print(sliding_window_view(Tensor((100,), "float32"), 10))
    float32[91, 10]
    """
    held = as_tensor(x, "numpy")
    if not isinstance(held, Tensor) or isinstance(held.shape, Unknown):
        return held
    return windows(held, window_shape, axis)


@function("numpy.lib.stride_tricks.as_strided")
def as_strided(x: Any, shape: Any = None, strides: Any = None, subok: Any = False, writeable: Any = True, *,
               check_bounds: Any = None) -> Outcome:
    """Of the shape that is asked for, whatever it looks at; `check_bounds` is there since NumPy 2.5.

    >>> print(as_strided(Tensor((100,), "float32"), (91, 10), (4, 4)))
    float32[91, 10]
    """
    held = as_tensor(x, "numpy")
    if not isinstance(held, Tensor) or shape is None:
        return held
    sizes = numbers(shape) if is_list(shape) else Unknown("shape")
    return held.with_(shape=sizes if isinstance(sizes, Unknown) else tuple(map(known_size, sizes)))
