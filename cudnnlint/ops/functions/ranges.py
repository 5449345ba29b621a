"""Sequences of numbers: range, arange, linspace, meshgrid, and how many elements they have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cudnnlint.ops.arith import broadcast
from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import find_axis, flag, given, number
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, as_dtype, floated, promote_keras, promote_numpy
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Shape, Symbol, Tensor, Unknown, is_floating
from cudnnlint.values.unknown import Counted


def arange(start: Any, stop: Any, step: Any, dtype: Any, library: Library) -> Outcome:
    """ceil((stop - start) / step) elements from `start`; one bound counts from 0.

    >>> arange(2, 10, 3, None, "tf").content
    (2, 5, 8)
    """
    first, last = (0, start) if stop is None else (start, stop)
    values = [first, last, 1 if step is None else step]
    found = as_dtype(dtype, _common(values, library), library)
    bounds = [_scalar(value) for value in values]
    if any(isinstance(bound, Symbol | Unknown) for bound in bounds):
        return Tensor((_free_count(*bounds),), found)
    count = _count(bounds[0], bounds[1], bounds[2], library)
    content = None
    if isinstance(count, int) and count <= contents.LIMIT and all(type(bound) is int for bound in bounds):
        content = contents.cast(tuple(bounds[0] + i * bounds[2] for i in range(count)), found)
    return Tensor((count,), found, content=content)


def _scalar(value: Any) -> Any:
    if isinstance(value, Tensor):
        value = value.content
    return value if isinstance(value, int | float | Symbol | Unknown) else Unknown("a bound")


def _free_count(start: Any, stop: Any, step: Any) -> Dim:
    """From 0 by ones to an extent that is open there are as many numbers as that extent."""
    if isinstance(stop, Symbol) and start == 0 and step == 1:
        return stop
    return next((bound for bound in (start, stop, step) if isinstance(bound, Unknown)), Unknown("a bound"))


def _common(values: Sequence[Any], library: Library) -> DType:
    """Dtype of the bounds together (tensorflow/python/ops/math_ops.py: range, dtype_hierarchy)."""
    tensors = [as_tensor(1 if type(value) is Counted else value, library) for value in values]
    dtypes: list[DType] = [tensor.dtype if isinstance(tensor, Tensor) else tensor for tensor in tensors]
    if library == "keras":
        return promote_keras(*dtypes)
    if library == "numpy":
        return promote_numpy(*dtypes)
    order = ("int32", "int64", "float32", "float64")
    if any(dtype not in order for dtype in dtypes):
        return Unknown("dtype of a bound")
    return max((str(dtype) for dtype in dtypes), key=order.index)


def _count(start: Any, stop: Any, step: Any, library: Library) -> Dim:
    if step == 0:
        return Unknown("step 0")
    try:
        exact = math.ceil((stop - start) / step)
        if any(isinstance(value, float) for value in (start, stop, step)) and library != "numpy":
            span = contents.fit(contents.fit(stop, "float32") - contents.fit(start, "float32"), "float32")
            single = math.ceil(contents.fit(span / contents.fit(step, "float32"), "float32"))
            if single != exact:
                return Unknown("rounding of a float range")
        elif all(isinstance(value, int) for value in (start, stop, step)):
            exact = len(range(start, stop, step))
    except (ArithmeticError, ValueError, TypeError):
        return Unknown("range")
    return max(int(exact), 0)


@function("tensorflow.range")
def tf_range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: Any = "range") -> Outcome:
    return arange(start, limit, delta, dtype, "tf")


@function("numpy.arange")
def np_arange(start: Any = 0, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Any = None,
              like: Any = None) -> Outcome:
    return arange(start, stop, step, dtype, "numpy")


@function(*paths.ops("arange"))
def keras_arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Outcome:
    return arange(start, stop, step, dtype, "keras")


@function("keras.backend.arange")
def backend_arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = "int32") -> Outcome:
    """What tf.range() gives is cast only to another dtype than int32 (tf_keras/src/backend.py: arange)."""
    return arange(start, stop, step, None if dtype == "int32" else dtype, "tf")


def linspace(start: Any, stop: Any, num: Any, axis: Any, dtype: DType, library: Library) -> Outcome:
    """`num` steps along a new axis of what `start` and `stop` broadcast to."""
    x, y = as_tensor(start, library), as_tensor(stop, library)
    count = number(num)
    size: Dim = count if isinstance(count, int) and count >= 0 else Unknown("num")
    if isinstance(x, Unknown) or isinstance(y, Unknown):
        return Tensor(Unknown("bounds"), dtype)
    shape = broadcast(x.shape, y.shape)
    if shape is None or isinstance(shape, Unknown):
        return Tensor(Unknown("bounds"), dtype)
    place = find_axis(axis, len(shape) + 1, "linspace")
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else Tensor(place, dtype)
    return Tensor((*shape[:place], size, *shape[place:]), dtype)


def steps_between(start: Any, stop: Any, count: Any, dtype: DType, library: Library, endpoint: bool = True) -> Any:
    """The elements, of known numbers (numpy/_core/function_base.py: linspace; tensorflow/python/ops/math_ops.py:
    linspace_nd): those of TensorFlow that do not depend on whether it rounds before it adds."""
    bounds = [value.content if isinstance(value, Tensor) else value for value in (start, stop)]
    exact = "float64" if library == "numpy" else dtype
    low, high = (contents.fit(value, exact) for value in bounds)
    if not (isinstance(low, float) and isinstance(high, float) and isinstance(count, int)):
        return None
    if not 0 < count <= contents.LIMIT or dtype not in ("float32", "float64"):
        return None
    intervals = max(count - endpoint, 1)
    step = contents.fit(contents.fit(high - low, exact) / intervals, exact)
    found: list[Any] = [contents.fit(low + contents.fit(place * step, exact), exact) for place in range(count)]
    if exact == "float32":
        found = [one if one == contents.fit(low + place * step, exact) else Unknown("rounding")
                 for place, one in enumerate(found)]
    if endpoint and count > 1:
        found[-1] = high
    return contents.small(contents.cast(tuple(found), dtype))


def _linspace_dtype(start: Any, stop: Any, library: Library) -> DType:
    dtypes = [t.dtype if isinstance(t, Tensor) else t for t in (as_tensor(v, library) for v in (start, stop))]
    if library == "numpy":
        return promote_numpy(*dtypes, "float64")
    if library == "keras":
        return floated(promote_keras(*dtypes), "keras")
    return dtypes[0] if is_floating(dtypes[0]) else "float64" if is_floating(dtypes[0]) is False else Unknown("dtype")


@function("tensorflow.linspace")
def tf_linspace(start: Any, stop: Any, num: Any, name: Any = None, axis: Any = 0) -> Outcome:
    made = linspace(start, stop, num, axis, _linspace_dtype(start, stop, "tf"), "tf")
    if not isinstance(made, Tensor):
        return made
    return made.with_(content=steps_between(start, stop, number(num), made.dtype, "tf"))


@function("numpy.linspace")
def np_linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None,
                axis: Any = 0, *, device: Any = None) -> Outcome:
    found = as_dtype(dtype, _linspace_dtype(start, stop, "numpy"), "numpy")
    made = linspace(start, stop, num, axis, found, "numpy")
    paired, closed = flag(retstep), flag(endpoint)
    if isinstance(made, Tensor) and closed is not None:
        made = made.with_(content=steps_between(start, stop, number(num), made.dtype, "numpy", closed))
    if paired is None:
        return Unknown("retstep")
    return (made, Unknown("step")) if paired and isinstance(made, Tensor) else made


@function("numpy.logspace")
def np_logspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0, dtype: Any = None,
                axis: Any = 0) -> Outcome:
    """numpy/_core/function_base.py: logspace: powers of `base`."""
    found = as_dtype(dtype, _linspace_dtype(start, stop, "numpy"), "numpy")
    made = linspace(start, stop, num, axis, found, "numpy")
    return _powers(made, number(base), start, stop, num, endpoint)


@function("numpy.geomspace")
def np_geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None,
                 axis: Any = 0) -> Outcome:
    """numpy/_core/function_base.py: geomspace: the ends are as they are given, of real numbers."""
    made = linspace(start, stop, num, axis, as_dtype(dtype, _linspace_dtype(start, stop, "numpy"), "numpy"), "numpy")
    low, high, closed = number(start), number(stop), flag(endpoint)
    if not all(isinstance(one, int | float) and one > 0 for one in (low, high)) or closed is None:
        return made
    made = _powers(made, 10.0, math.log10(low), math.log10(high), num, endpoint)
    if not isinstance(made, Tensor) or not made.content:
        return made
    last = (contents.fit(high, made.dtype),) if closed and len(made.content) > 1 else ()
    return made.with_(content=(contents.fit(low, made.dtype), *made.content[1:len(made.content) - len(last)], *last))


def _powers(made: Outcome, base: Any, start: Any, stop: Any, num: Any, endpoint: Any) -> Outcome:
    closed = flag(endpoint)
    if not isinstance(made, Tensor) or closed is None or not isinstance(base, int | float):
        return made
    steps = steps_between(start, stop, number(num), "float64", "numpy", closed)
    powers = contents.combine("**", float(base), steps, "float64")
    return made.with_(content=contents.small(contents.cast(powers, made.dtype)))


@function(*paths.ops("linspace"))
def keras_linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None,
                   axis: Any = 0) -> Outcome:
    made = linspace(start, stop, num, axis, as_dtype(dtype, _linspace_dtype(start, stop, "keras"), "keras"), "keras")
    paired = flag(retstep)
    if isinstance(made, Tensor) and flag(endpoint) is True:
        made = made.with_(content=steps_between(start, stop, number(num), made.dtype, "keras"))
    if paired is None:
        return Unknown("retstep")
    return (made, Unknown("step")) if paired and isinstance(made, Tensor) else made


MANY = Unknown("meshgrid of more than six inputs")


def meshgrid(inputs: Sequence[Any], indexing: Any, library: Library, sparse: Any = False) -> Outcome:
    """One tensor per input, each of shape (len(y), len(x), ...) for "xy", (len(x), len(y), ...) for "ij"."""
    tensors = [as_tensor(value, library) for value in inputs]
    if indexing not in ("xy", "ij") or flag(sparse) is None:
        return Unknown("indexing")
    sizes: list[Dim] = []
    for tensor in tensors:
        if isinstance(tensor, Unknown) or isinstance(tensor.shape, Unknown):
            sizes.append(Unknown("length of an input"))
        else:
            sizes.append(_length(tensor.shape, library))
    order = list(range(len(sizes)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    made = []
    for position, tensor in enumerate(tensors):
        shape = tuple(sizes[i] if i == position or not flag(sparse) else 1 for i in order)
        made.append(Tensor(shape, tensor.dtype if isinstance(tensor, Tensor) else tensor))
    return made


def _length(shape: Shape, library: Library) -> Dim:
    """NumPy and TensorFlow take inputs of several axes as one row of their elements."""
    if len(shape) < 2 or library not in ("numpy", "tf"):
        return (shape[0] if shape else 1) if len(shape) < 2 else Unknown("length of an input")
    return math.prod(dim for dim in shape if isinstance(dim, int)) if all(isinstance(dim, int) for dim in shape) \
        else Unknown("length of an input")


@function("tensorflow.meshgrid")
def tf_meshgrid(a: Any = None, b: Any = None, c: Any = None, d: Any = None, e: Any = None, f: Any = None,
                g: Any = None, *more: Any, indexing: Any = "xy", name: Any = None) -> Outcome:
    return MANY if g is not None else meshgrid(given(a, b, c, d, e, f), indexing, "tf")


@function("numpy.meshgrid")
def np_meshgrid(a: Any = None, b: Any = None, c: Any = None, d: Any = None, e: Any = None, f: Any = None,
                g: Any = None, *more: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> Outcome:
    made = MANY if g is not None else meshgrid(given(a, b, c, d, e, f), indexing, "numpy", sparse)
    return tuple(made) if isinstance(made, list) else made


@function(*paths.ops("meshgrid"))
def keras_meshgrid(a: Any = None, b: Any = None, c: Any = None, d: Any = None, e: Any = None, f: Any = None,
                   g: Any = None, *more: Any, indexing: Any = "xy") -> Outcome:
    return MANY if g is not None else meshgrid(given(a, b, c, d, e, f), indexing, "keras")
