"""Elements picked by a condition or a window: where, boolean_mask, slice, unique, nonzero."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal
from cudnnlint.ops.functions import contents, order, paths
from cudnnlint.ops.functions._core import extents, find_axis, flag, known_size, numbers, set_dim, shown, size_of, sizes
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, as_dtype
from cudnnlint.ops.functions.elementwise import binary, broadcast_problem
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown, Where
from cudnnlint.values.occurring import occurring

COUNT = "a count that depends on the data"


def where(condition: Any, x: Any, y: Any, library: Library, name: str) -> Outcome:
    """Three arguments broadcast together; the result has the dtype of `x` and `y`."""
    chosen = binary("select", x, y, library, name)
    test = as_tensor(condition, library)
    if not isinstance(chosen, Tensor):
        return chosen
    if isinstance(test, Unknown) or isinstance(test.shape, Unknown):
        return chosen.with_(shape=Unknown("condition"))
    shape = broadcast(test.shape, chosen.shape)
    return broadcast_problem(test, chosen, name) if shape is None else chosen.with_(shape=shape)


def nonzero(condition: Any, library: Library, dtype: str = "int64") -> Outcome:
    """tf.where(c): (count, rank); np.nonzero(c): one vector per axis."""
    x = as_tensor(condition, library)
    if isinstance(x, Unknown) or x.rank is None:
        return Unknown("rank of a condition")
    if library == "tf":
        return x.with_(shape=(Unknown(COUNT), x.rank), dtype="int64")
    return tuple(x.with_(shape=(Unknown(COUNT),), dtype=dtype) for _ in range(x.rank))


@function("tensorflow.where")
def tf_where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Outcome:
    if x is None and y is None:
        return nonzero(condition, "tf")
    if x is None or y is None:
        return _one_sided("tf.where", "y" if y is None else "x",
                          'ValueError "x and y must both be non-None or both be None."')
    outcome, rows = where(condition, x, y, "tf", "tf.where"), _picked(condition, x)
    if isinstance(outcome, Mismatch) and outcome.problem is Problem.BROADCAST:
        outcome = replace(outcome, error='InvalidArgumentError "must be broadcastable" or in a graph ValueError '
                                         '"Dimensions must be equal"')
    return replace(outcome, where=NO_ROWS, otherwise=rows) if isinstance(outcome, Mismatch) and rows else outcome


def _one_sided(name: str, lacking: str, error: str) -> Mismatch:
    return Mismatch(Problem.MISSING_ARGUMENT, f"{name} misses {lacking}", argument=lacking, error=error,
                    help="what to take where the condition holds, and what where it does not; or neither, for places")


NO_ROWS = Where(tensorflow=">=2")
"""Where a vector as the condition is broadcast like any other (tensorflow/python/ops/array_ops.py: where_v2)."""


def _picked(condition: Any, x: Any) -> Tensor | None:
    """The rows that a vector as the condition picks (tensorflow/python/ops/array_ops.py: where)."""
    picks, given = as_tensor(condition, "tf"), as_tensor(x, "tf")
    if isinstance(picks, Tensor) and isinstance(given, Tensor) and picks.rank == 1 and given.rank not in (0, 1):
        return given.with_(content=None)
    return None


@function("tensorflow.v1.where")
def tf_where_v1(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Outcome:
    return _picked(condition, x) or tf_where(condition, x, y, name)


@function("numpy.where")
def np_where(condition: Any, x: Any = None, y: Any = None) -> Outcome:
    return nonzero(condition, "numpy") if x is None and y is None else where(condition, x, y, "numpy", "np.where")


@function(*paths.ops("where"))
def keras_where(condition: Any, x1: Any = None, x2: Any = None) -> Outcome:
    if x1 is None and x2 is None:
        return nonzero(condition, "keras")
    if x1 is None or x2 is None:
        return _one_sided("keras.ops.where", "x2" if x2 is None else "x1",
                          'ValueError "either both should be `None` or both should have non-None value."')
    return where(condition, x1, x2, "keras", "keras.ops.where")


@function("keras.backend.switch")
def switch(condition: Any, then_expression: Any, else_expression: Any) -> Outcome:
    if not isinstance(then_expression, Tensor) or not isinstance(else_expression, Tensor):
        return Unknown("switch")
    return where(condition, then_expression, else_expression, "keras", "keras.backend.switch")


@function("numpy.nonzero")
def np_nonzero(a: Any) -> Outcome:
    return nonzero(a, "numpy")


@function(*paths.ops("nonzero"))
def keras_nonzero(x: Any) -> Outcome:
    return nonzero(x, "keras", "int32")


@function("numpy.argwhere")
def argwhere(a: Any) -> Outcome:
    return nonzero(a, "tf")


@function("numpy.flatnonzero")
def flatnonzero(a: Any) -> Outcome:
    return Tensor((Unknown(COUNT),), "int64")


def masked(value: Any, mask: Any, axis: Any, library: Library, name: str) -> Outcome:
    """The axes of `mask` become one, of unknown extent.

    >>> print(masked(Tensor((8, 4, 3), "float32"), Tensor((8, 4), "bool"), None, "tf", "tf.boolean_mask"))
    float32[?, 3]
    """
    x, test = as_tensor(value, library), as_tensor(mask, library)
    if isinstance(x, Unknown):
        return x
    if isinstance(test, Unknown) or isinstance(test.shape, Unknown) or isinstance(x.shape, Unknown):
        return x.with_(shape=Unknown("mask"))
    place = 0 if axis is None else find_axis(axis, len(x.shape), name, x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else x.with_(shape=place)
    covered = x.shape[place:place + len(test.shape)]
    if len(covered) != len(test.shape) or not all(map(may_equal, covered, test.shape)):
        return Mismatch(Problem.BROADCAST, f"{name}: mask {shown(test.shape)} does not fit {shown(covered)} of {x}",
                        error='ValueError "Shapes ... are incompatible" or IndexError "boolean index did not match"',
                        argument="mask", facts=(("shapes", (covered, test.shape)),))
    if not test.shape:
        return Unknown("a scalar mask")
    return x.with_(shape=(*x.shape[:place], Unknown(COUNT), *x.shape[place + len(test.shape):]))


@function("tensorflow.boolean_mask")
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: Any = "boolean_mask") -> Outcome:
    return masked(tensor, mask, axis, "tf", "tf.boolean_mask")


@function("tensorflow.slice")
def tf_slice(input_: Any, begin: Any, size: Any, name: Any = None) -> Outcome:
    """A size of -1 reaches to the end: how far is known to a graph only if all sizes are numbers
    (tensorflow/core/framework/common_shape_fns.cc: SliceShape)."""
    x, wanted, starts = as_tensor(input_, "tf"), extents(size), numbers(begin)
    if isinstance(x, Unknown) or isinstance(wanted, Unknown):
        return Tensor(wanted, x) if isinstance(x, Unknown) and isinstance(wanted, tuple) and -1 not in wanted \
            else x if isinstance(x, Unknown) else x.with_(shape=Unknown("size"))
    if isinstance(x.shape, tuple) and len(x.shape) != len(wanted):
        return Mismatch(Problem.RANK, f"tf.slice: {len(wanted)} sizes for {x}, which has {len(x.shape)} axes",
                        error='InvalidArgumentError "Shape must be rank"', argument="size",
                        facts=(("expected", len(wanted)), ("actual", len(x.shape))))
    dims, fixed = [], all(isinstance(dim, int) for dim in wanted)
    for i, dim in enumerate(wanted):
        whole = x.shape[i] if isinstance(x.shape, tuple) else Unknown("rank")
        start = starts[i] if isinstance(starts, tuple) and i < len(starts) else Unknown("begin")
        dims.append(known_size(dim) if dim != -1 else _rest(whole, start)
                    if fixed or not isinstance(whole, int) else Unknown("rest of an axis"))
    return x.with_(shape=tuple(dims))


def _rest(whole: Dim, start: Any) -> Dim:
    if isinstance(whole, int) and isinstance(start, int) and start <= whole:
        return whole - start
    return whole if start == 0 else Unknown("rest of an axis")


@function("keras.ops.slice")
def keras_slice(inputs: Any, start_indices: Any, shape: Any) -> Outcome:
    x = as_tensor(inputs, "keras")
    made = sizes(shape)
    return Tensor(made, x) if isinstance(x, Unknown) else x.with_(shape=made)


@function("tensorflow.unique")
def tf_unique(x: Any, out_idx: Any = "int32", name: Any = None) -> Outcome:
    tensor = as_tensor(x, "tf")
    if isinstance(tensor, Unknown):
        return tensor
    return (tensor.with_(shape=(Unknown(COUNT),)), tensor.with_(dtype=as_dtype(out_idx, "int32")))


@function("numpy.unique")
def np_unique(ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False,
              axis: Any = None, *, equal_nan: Any = True, sorted: Any = True) -> Outcome:
    """
    >>> [one.content for one in np_unique([8, 3, 8], return_counts=True)]
    [(3, 8), (1, 2)]
    """
    x = as_tensor(ar, "numpy")
    wanted = [flag(one) for one in (return_index, return_inverse, return_counts)]
    if isinstance(x, Unknown) or None in wanted:
        return Unknown("unique")
    held = order.known(x) if axis is None else None
    if held is not None:
        distinct = order.distinct(held)
        found = (tuple(map(held.index, distinct)), None, tuple(map(held.count, distinct)))
        return _with_more(x.with_(shape=(len(distinct),), content=distinct), wanted, found)
    met = occurring(x) if axis is None else None
    if axis is None:
        values = x.with_(shape=(Unknown(COUNT) if met is None else len(met),),
                         content=tuple(met) if met is not None and len(met) <= contents.LIMIT else None)
    elif isinstance(x.shape, tuple) and isinstance(place := find_axis(axis, len(x.shape), "np.unique", x), int):
        values = x.with_(shape=set_dim(x.shape, place, Unknown(COUNT)))
    else:
        values = x.with_(shape=Unknown("axis"))
    return _with_more(values, wanted, (None, None, None))


def _with_more(values: Tensor, wanted: list[Any], found: tuple[Any, ...]) -> Outcome:
    """Beside the distinct elements: where each is first, which one stands where, how many there are of each."""
    more = [values.with_(shape=Unknown("unique") if content is None else (len(content),), dtype="int64",
                         content=content) for one, content in zip(wanted, found, strict=True) if one]
    return (values, *more) if more else values


def difference(value: Any, n: Any, axis: Any, library: Library, name: str) -> Outcome:
    x, count = as_tensor(value, library), size_of(n)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    place = find_axis(axis, len(x.shape), name, x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else x.with_(shape=place)
    size = x.shape[place]
    left = max(size - count, 0) if isinstance(size, int) and isinstance(count, int) else Unknown("diff")
    return x.with_(shape=set_dim(x.shape, place, left))


@function("numpy.diff")
def np_diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Outcome:
    made = difference(a, n, axis, "numpy", "np.diff")
    if isinstance(made, Tensor) and (prepend is not None or append is not None):
        return made.with_(shape=Unknown("prepend or append"))
    return made


@function(*paths.ops("diff"))
def keras_diff(a: Any, n: Any = 1, axis: Any = -1) -> Outcome:
    return difference(a, n, axis, "keras", "keras.ops.diff")
