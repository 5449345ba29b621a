"""Axes and elements in another order: transpose, moveaxis, flip, roll, rot90."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axes, find_axis, flag, is_list, number, numbers, shown
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown


def transpose(value: Any, perm: Any, library: Library, name: str) -> Outcome:
    """
    >>> print(transpose(Tensor((2, 3, 4), "float32"), (0, 2, 1), "tf", "tf.transpose"))
    float32[2, 4, 3]
    """
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    if perm is None:
        return x.with_(shape=tuple(reversed(x.shape)))
    order = (perm,) if library == "numpy" and isinstance(perm, int) else numbers(perm)
    if isinstance(order, Unknown):
        return x.with_(shape=tuple(Unknown("axes") for _ in x.shape))
    if len(order) != len(x.shape):
        return Mismatch(Problem.RANK, f"{name}: {len(order)} axes {shown(order)} for {x}, which has {len(x.shape)}",
                        error='ValueError "axes don\'t match array", "must be a list of the same length" or '
                        'InvalidArgumentError', argument="perm",
                        facts=(("expected", len(order)), ("actual", len(x.shape))))
    axes = [find_axis(one, len(x.shape), name, x) for one in order]
    wrong = next((one for one in axes if isinstance(one, Mismatch)), None)
    if wrong is not None:
        return wrong
    known = [one for one in axes if isinstance(one, int)]
    if len(known) != len(axes):
        return x.with_(shape=tuple(x.shape[one] if isinstance(one, int) else Unknown("axes") for one in axes))
    if len(set(known)) != len(known):
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: an axis is repeated in {shown(order)}",
                        error='ValueError "repeated axis in transpose"', argument="perm", facts=(("axes", order),))
    return x.with_(shape=tuple(x.shape[one] for one in known))


@function("tensorflow.transpose")
def tf_transpose(a: Any, perm: Any = None, conjugate: Any = False, name: Any = "transpose") -> Outcome:
    return transpose(a, perm, "tf", "tf.transpose")


@function("numpy.transpose", "numpy.permute_dims")
def np_transpose(a: Any, axes: Any = None) -> Outcome:
    return transpose(a, axes, "numpy", "np.transpose")


@function(*paths.ops("transpose"))
def keras_transpose(x: Any, axes: Any = None) -> Outcome:
    return transpose(x, axes, "keras", "keras.ops.transpose")


@function("keras.backend.transpose")
def backend_transpose(x: Any) -> Outcome:
    return transpose(x, None, "keras", "keras.backend.transpose")


@function("keras.backend.permute_dimensions")
def permute_dimensions(x: Any, pattern: Any) -> Outcome:
    return transpose(x, pattern, "keras", "keras.backend.permute_dimensions")


def swapped(value: Any, first: Any, second: Any, library: Library, name: str) -> Outcome:
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    rank = len(x.shape)
    i, j = find_axis(first, rank, name, x), find_axis(second, rank, name, x)
    if not isinstance(i, int) or not isinstance(j, int):
        wrong = next((one for one in (i, j) if isinstance(one, Mismatch)), None)
        return wrong or x.with_(shape=tuple(Unknown("axes") for _ in x.shape))
    dims = list(x.shape)
    dims[i], dims[j] = dims[j], dims[i]
    return x.with_(shape=tuple(dims))


@function("numpy.swapaxes")
def np_swapaxes(a: Any, axis1: Any, axis2: Any) -> Outcome:
    return swapped(a, axis1, axis2, "numpy", "np.swapaxes")


@function(*paths.ops("swapaxes"))
def keras_swapaxes(x: Any, axis1: Any, axis2: Any) -> Outcome:
    return swapped(x, axis1, axis2, "keras", "keras.ops.swapaxes")


@function("tensorflow.linalg.matrix_transpose", "tensorflow.matrix_transpose")
def matrix_transpose(a: Any, name: Any = "matrix_transpose", conjugate: Any = False) -> Outcome:
    return swapped(a, -1, -2, "tf", "tf.linalg.matrix_transpose")


@function("tensorflow.linalg.adjoint")
def adjoint(matrix: Any, name: Any = None) -> Outcome:
    return swapped(matrix, -1, -2, "tf", "tf.linalg.adjoint")


@function("numpy.matrix_transpose", "numpy.linalg.matrix_transpose")
def np_matrix_transpose(x: Any) -> Outcome:
    return swapped(x, -1, -2, "numpy", "np.matrix_transpose")


def moved(value: Any, source: Any, destination: Any, library: Library, name: str) -> Outcome:
    """
    >>> print(moved(Tensor((8, 3, 32, 32), "float32"), 1, -1, "numpy", "np.moveaxis"))
    float32[8, 32, 32, 3]
    """
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    pairs = [numbers(side) if is_list(side) else (number(side),) for side in (source, destination)]
    sides: list[list[int]] = []
    for values in pairs:
        found = [] if isinstance(values, Unknown) else [find_axis(one, len(x.shape), name, x) for one in values]
        wrong = next((one for one in found if isinstance(one, Mismatch)), None)
        if wrong is not None:
            return wrong
        sides.append([one for one in found if isinstance(one, int)])
        if isinstance(values, Unknown) or len(sides[-1]) != len(values):
            return x.with_(shape=tuple(Unknown("axes") for _ in x.shape))
    if len(sides[0]) != len(sides[1]):
        return Unknown("moveaxis of different lengths")
    order = [i for i in range(len(x.shape)) if i not in sides[0]]
    for place, axis in sorted(zip(sides[1], sides[0], strict=True)):
        order.insert(place, axis)
    return x.with_(shape=tuple(x.shape[i] for i in order))


@function("numpy.moveaxis")
def np_moveaxis(a: Any, source: Any, destination: Any) -> Outcome:
    return moved(a, source, destination, "numpy", "np.moveaxis")


@function(*paths.ops("moveaxis"))
def keras_moveaxis(x: Any, source: Any, destination: Any) -> Outcome:
    return moved(x, source, destination, "keras", "keras.ops.moveaxis")


def reordered(value: Any, axis: Any, library: Library, name: str, fold: bool = False) -> Outcome:
    """flip, roll, sort: same shape, axes in range; a flipped vector keeps its elements."""
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    axes = find_axes(axis, x, name)
    if isinstance(axes, Mismatch):
        return axes
    content = x.content if fold and len(x.shape) == 1 and axes == (0,) else None
    return x.with_(content=tuple(reversed(content)) if isinstance(content, tuple) else None)


@function("tensorflow.reverse")
def tf_reverse(tensor: Any, axis: Any, name: Any = None) -> Outcome:
    return reordered(tensor, axis, "tf", "tf.reverse", fold=True)


@function("numpy.flip")
def np_flip(m: Any, axis: Any = None) -> Outcome:
    return reordered(m, axis, "numpy", "np.flip", fold=True)


@function("numpy.flipud")
def np_flipud(m: Any) -> Outcome:
    return reordered(m, 0, "numpy", "np.flipud", fold=True)


@function("numpy.fliplr")
def np_fliplr(m: Any) -> Outcome:
    return reordered(m, 1, "numpy", "np.fliplr")


@function(*paths.ops("flip"))
def keras_flip(x: Any, axis: Any = None) -> Outcome:
    return reordered(x, axis, "keras", "keras.ops.flip", fold=True)


@function("keras.backend.reverse")
def backend_reverse(x: Any, axes: Any) -> Outcome:
    return reordered(x, axes, "keras", "keras.backend.reverse", fold=True)


@function("tensorflow.roll")
def tf_roll(input: Any, shift: Any, axis: Any, name: Any = None) -> Outcome:
    return reordered(input, axis, "tf", "tf.roll")


@function("numpy.roll")
def np_roll(a: Any, shift: Any, axis: Any = None) -> Outcome:
    return reordered(a, axis, "numpy", "np.roll")


@function(*paths.ops("roll"))
def keras_roll(x: Any, shift: Any, axis: Any = None) -> Outcome:
    return reordered(x, axis, "keras", "keras.ops.roll")


def turned(value: Any, k: Any, axes: Sequence[Any], library: Library, name: str) -> Outcome:
    """rot90: an odd number of quarter turns swaps the two axes."""
    count = number(k)
    flipped = swapped(value, axes[0], axes[1], library, name)
    if isinstance(count, int):
        x = as_tensor(value, library)
        return flipped if count % 2 or not isinstance(x, Tensor) else x.with_()
    return flipped.with_(shape=Unknown("quarter turns")) if isinstance(flipped, Tensor) else flipped


@function("numpy.rot90")
def np_rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Outcome:
    pair = axes if isinstance(axes, (list, tuple)) and len(axes) == 2 else (Unknown("axes"), Unknown("axes"))
    return turned(m, k, pair, "numpy", "np.rot90")


@function(*paths.ops("rot90"))
def keras_rot90(array: Any, k: Any = 1, axes: Any = (0, 1)) -> Outcome:
    pair = axes if isinstance(axes, (list, tuple)) and len(axes) == 2 else (Unknown("axes"), Unknown("axes"))
    return turned(array, k, pair, "keras", "keras.ops.rot90")


@function("numpy.rollaxis")
def np_rollaxis(a: Any, axis: Any, start: Any = 0) -> Outcome:
    return moved(a, axis, 0, "numpy", "np.rollaxis") if flag(start) is False else Unknown("rollaxis")
