"""Axes of extent 1, put in and taken out: expand_dims, squeeze."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axes, find_axis, is_list, numbers
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.functions.reshape import renested
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Symbol, Unknown


def expand_dims(value: Any, axis: Any, library: Library, name: str) -> Outcome:
    """New axes of extent 1, counted in the result.

    >>> from cudnnlint.values import Tensor
    >>> print(expand_dims(Tensor((28, 28), "uint8"), -1, "numpy", "np.expand_dims"))
    uint8[28, 28, 1]
    """
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    given = numbers(axis) if is_list(axis) else (axis,)
    if isinstance(given, Unknown):
        return x.with_(shape=given)
    rank = len(x.shape) + len(given)
    places: set[int] = set()
    for one in given:
        place = find_axis(one, rank, name, x)
        if not isinstance(place, int):
            return place if isinstance(place, Mismatch) else x.with_(shape=(*(Unknown("axis") for _ in range(rank)),))
        places.add(place)
    if len(places) != len(given):
        return Unknown("a repeated axis")
    old = iter(x.shape)
    return renested(x, tuple(1 if i in places else next(old) for i in range(rank)))


@function("tensorflow.expand_dims")
def tf_expand_dims(input: Any, axis: Any, name: Any = None) -> Outcome:
    return expand_dims(input, axis, "tf", "tf.expand_dims")


@function("numpy.expand_dims")
def np_expand_dims(a: Any, axis: Any) -> Outcome:
    return expand_dims(a, axis, "numpy", "np.expand_dims")


@function(*paths.ops("expand_dims"))
def keras_expand_dims(x: Any, axis: Any) -> Outcome:
    return expand_dims(x, axis, "keras", "keras.ops.expand_dims")


@function("keras.backend.expand_dims")
def backend_expand_dims(x: Any, axis: Any = -1) -> Outcome:
    return expand_dims(x, axis, "keras", "keras.backend.expand_dims")


def squeeze(value: Any, axis: Any, library: Library, name: str) -> Outcome:
    """Axes of extent 1 removed: all of them, or those named."""
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    if axis is None or axis in ([], ()):
        loose = [dim for dim in x.shape if isinstance(dim, Unknown) or (x.kind != "keras" and isinstance(dim, Symbol))]
        if loose:
            return x.with_(shape=Unknown("an axis of 1 would vanish"))
        return renested(x, tuple(dim for dim in x.shape if dim != 1))
    axes = find_axes(axis, x, name)
    if not isinstance(axes, tuple):
        return axes if isinstance(axes, Mismatch) else x.with_(shape=axes)
    for i in axes:
        if isinstance(size := x.shape[i], int) and size != 1:
            return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: axis {i} of {x} has extent {size}, not 1",
                            error='ValueError "Cannot squeeze axis" or IndexError' if name.startswith("keras.ops.") else
                            'ValueError "cannot select an axis to squeeze out which has size not equal to one" or '
                            'InvalidArgumentError "Can not squeeze dim"',
                            argument="axis", facts=(("axis", i), ("size", size)))
    return renested(x, tuple(dim for i, dim in enumerate(x.shape) if i not in axes))


@function("tensorflow.squeeze")
def tf_squeeze(input: Any, axis: Any = None, name: Any = None) -> Outcome:
    return squeeze(input, axis, "tf", "tf.squeeze")


@function("numpy.squeeze")
def np_squeeze(a: Any, axis: Any = None) -> Outcome:
    return squeeze(a, axis, "numpy", "np.squeeze")


@function(*paths.ops("squeeze"))
def keras_squeeze(x: Any, axis: Any = None) -> Outcome:
    return squeeze(x, axis, "keras", "keras.ops.squeeze")


@function("keras.backend.squeeze")
def backend_squeeze(x: Any, axis: Any) -> Outcome:
    return squeeze(x, axis, "keras", "keras.backend.squeeze")
