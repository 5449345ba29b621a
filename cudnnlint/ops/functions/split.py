"""One tensor into several: split, array_split, unstack."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from cudnnlint.ops.arith import lift, taken
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axis, is_list, number, numbers, set_dim
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Tensor, Unknown

MOST = 1024
"""More parts than this are not listed."""


def _prepared(value: Any, axis: Any, library: Library, name: str) -> tuple[Tensor, Shape, int] | Unknown | Mismatch:
    x = as_tensor(value, library)
    if isinstance(x, Unknown):
        return x
    if isinstance(x.shape, Unknown):
        return x.shape
    place = find_axis(axis, len(x.shape), name, x)
    return (x, x.shape, place) if isinstance(place, int) else place


def _parts(x: Tensor, shape: Shape, axis: int, sizes: Sequence[Dim]) -> list[Tensor]:
    start: Dim = 0
    made = []
    for size in sizes:
        content = None
        if isinstance(x.content, tuple) and axis == 0 and isinstance(start, int) and isinstance(size, int):
            content = x.content[start:start + size]
        made.append(x.with_(shape=set_dim(shape, axis, size), content=content))
        start = lift(lambda a, b: a + b, start, size)
    return made


def equal_parts(value: Any, count: Any, axis: Any, library: Library, name: str, *, uneven: bool = False) -> Outcome:
    """`count` parts of one size along `axis`; numpy.array_split lets the first ones be longer.

    >>> [str(part) for part in equal_parts(Tensor((4, 9), "float32"), 3, 1, "tf", "tf.split")]
    ['float32[4, 3]', 'float32[4, 3]', 'float32[4, 3]']
    """
    found = _prepared(value, axis, library, name)
    if not isinstance(found, tuple):
        return found
    x, shape, place = found
    parts = number(count)
    if isinstance(parts, Unknown) or not 0 < parts <= MOST:
        return Unknown("number of parts")
    size = shape[place]
    if isinstance(size, int) and size % parts:
        if uneven:
            return _parts(x, shape, place, [size // parts + (i < size % parts) for i in range(parts)])
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: extent {size} of axis {place} does not split into {parts} "
                        "equal parts", error='ValueError "array split does not result in an equal division", '
                        '"must be divisible by `indices_or_sections`" or InvalidArgumentError',
                        argument="num_or_size_splits", facts=(("size", size), ("parts", parts)))
    each = size // parts if isinstance(size, int) else Unknown("a part of an unknown extent")
    return _parts(x, shape, place, [each] * parts)


def sized_parts(value: Any, sizes: Any, axis: Any, name: str) -> Outcome:
    """tf.split with a list of sizes, of which one may be -1."""
    found = _prepared(value, axis, "tf", name)
    given = numbers(sizes)
    if isinstance(given, Unknown) or not isinstance(found, tuple):
        return given if isinstance(found, tuple) else found
    x, shape, place = found
    whole = shape[place]
    known = [size for size in given if isinstance(size, int) and size != -1]
    open_ = [i for i, size in enumerate(given) if size == -1 or isinstance(size, Unknown)]
    total = sum(known)
    if isinstance(whole, int) and ((not open_ and total != whole) or total > whole):
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: sizes {list(given)} add up to {total}, axis {place} has "
                        f"{whole}", error='InvalidArgumentError "Determined shape must either match input shape"',
                        argument="num_or_size_splits", facts=(("expected", whole), ("actual", total)))
    dims: list[Dim] = list(given)
    if len(open_) == 1:
        dims[open_[0]] = whole - total if isinstance(whole, int) else whole if not known else Unknown("size of a part")
    return _parts(x, shape, place, [Unknown("size of a part") if dim == -1 else dim for dim in dims])


def cut(value: Any, indices: Any, axis: Any, library: Library, name: str) -> Outcome:
    """numpy.split at indices."""
    found = _prepared(value, axis, library, name)
    places = numbers(indices)
    if isinstance(places, Unknown) or not isinstance(found, tuple):
        return places if isinstance(found, tuple) else found
    x, shape, place = found
    whole = shape[place]
    if not isinstance(whole, int) or not all(isinstance(i, int) for i in places):
        sizes: list[Dim] = [Unknown("size of a part")] * (len(places) + 1)
        ordered = all(isinstance(i, int) for i in places) and list(places) == sorted(places) and all(
            i >= 0 for i in places)
        if ordered and isinstance(whole, int):
            sizes[0] = places[0]
        return _parts(x, shape, place, sizes)
    bounds = [0, *places, whole]
    return _parts(x, shape, place, [taken(slice(a, b), whole) for a, b in pairwise(bounds)])


def split(value: Any, spec: Any, axis: Any, library: Library, name: str, *, uneven: bool = False) -> Outcome:
    return cut(value, spec, axis, library, name) if is_list(spec) \
        else equal_parts(value, spec, axis, library, name, uneven=uneven)


@function("tensorflow.split")
def tf_split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: Any = "split") -> Outcome:
    return sized_parts(value, num_or_size_splits, axis, "tf.split") if is_list(num_or_size_splits) \
        else equal_parts(value, num_or_size_splits, axis, "tf", "tf.split")


@function("numpy.split")
def np_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Outcome:
    return split(ary, indices_or_sections, axis, "numpy", "np.split")


@function("numpy.array_split")
def np_array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Outcome:
    return split(ary, indices_or_sections, axis, "numpy", "np.array_split", uneven=True)


@function(*paths.ops("split"))
def keras_split(x: Any, indices_or_sections: Any, axis: Any = 0) -> Outcome:
    return split(x, indices_or_sections, axis, "keras", "keras.ops.split")


@function(*paths.ops("array_split"))
def keras_array_split(x: Any, indices_or_sections: Any, axis: Any = 0) -> Outcome:
    return split(x, indices_or_sections, axis, "keras", "keras.ops.array_split", uneven=True)


def _numpy_along(axis: int, name: str) -> paths.Builder:
    def build(ary: Any, indices_or_sections: Any) -> Outcome:
        return split(ary, indices_or_sections, axis, "numpy", name)

    return build


paths.spell(_numpy_along(0, "np.vsplit"), "numpy.vsplit")
paths.spell(_numpy_along(2, "np.dsplit"), "numpy.dsplit")


@function("numpy.hsplit")
def np_hsplit(ary: Any, indices_or_sections: Any) -> Outcome:
    x = as_tensor(ary, "numpy")
    axis = 0 if isinstance(x, Tensor) and x.rank == 1 else 1
    return split(ary, indices_or_sections, axis, "numpy", "np.hsplit")


def unstack(value: Any, num: Any, axis: Any, library: Library, name: str) -> Outcome:
    """The slices along `axis`, which is gone from each."""
    found = _prepared(value, axis, library, name)
    if not isinstance(found, tuple):
        return found
    x, shape, place = found
    size = shape[place]
    given = number(num)
    if isinstance(size, int) and isinstance(given, int) and num is not None and given != size:
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: num is {given}, axis {place} has {size}",
                        error='InvalidArgumentError "Input shape axis ... must equal"', argument="num",
                        facts=(("expected", size), ("actual", given)))
    count = size if isinstance(size, int) else given
    if not isinstance(count, int) or not 0 <= count <= MOST:
        return Unknown("number of slices")
    rest = (*shape[:place], *shape[place + 1:])
    items = x.content if isinstance(x.content, tuple) and place == 0 else (None,) * count
    return [x.with_(shape=rest, content=item) for item in items]


@function("tensorflow.unstack")
def tf_unstack(value: Any, num: Any = None, axis: Any = 0, name: Any = "unstack") -> Outcome:
    return unstack(value, num, axis, "tf", "tf.unstack")


@function("keras.ops.unstack")
def keras_unstack(x: Any, num: Any = None, axis: Any = 0) -> Outcome:
    return unstack(x, num, axis, "keras", "keras.ops.unstack")


@function("numpy.unstack")
def np_unstack(x: Any, *, axis: Any = 0) -> Outcome:
    made = unstack(x, None, axis, "numpy", "np.unstack")
    return tuple(made) if isinstance(made, list) else made
