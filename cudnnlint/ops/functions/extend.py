"""More of the same: tile, repeat, pad, broadcast_to."""

from __future__ import annotations

import math
from typing import Any

from cudnnlint.ops.arith import broadcast, lift
from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import (
    find_axis,
    is_list,
    known_size,
    new_shape,
    number,
    numbers,
    reasons,
    set_dim,
    shown,
    size_of,
    sizes,
)
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.functions.elementwise import broadcast_problem
from cudnnlint.ops.functions.reshape import reshape
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Tensor, Unknown


def times(a: Dim, b: Dim) -> Dim:
    return b if a == 1 else a if b == 1 else lift(lambda m, n: m * n, a, b)


def tile(value: Any, multiples: Any, library: Library, name: str) -> Outcome:
    """
    >>> print(tile(Tensor((2, 3), "float32"), [1, 4], "tf", "tf.tile"))
    float32[2, 12]
    """
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    counts = sizes(multiples)
    if isinstance(counts, Unknown):
        return x.with_(shape=counts)
    if library == "tf" and len(counts) != len(x.shape):
        return Mismatch(Problem.RANK, f"{name}: {len(counts)} multiples {shown(counts)} for the "
                        f"{len(x.shape)} axes of {x}",
                        error='InvalidArgumentError "Expected multiples argument to be a vector of length" or in a '
                              'graph ValueError "Shape must be rank"',
                        argument="multiples", facts=(("expected", len(counts)), ("actual", len(x.shape))))
    width = max(len(counts), len(x.shape))
    shape: Shape = (1,) * (width - len(x.shape)) + x.shape
    counts = (1,) * (width - len(counts)) + counts
    made = tuple(map(times, shape, counts))
    content, known = None, tuple(count for count in counts if isinstance(count, int))
    final = [dim for dim in made if isinstance(dim, int)]
    if x.content is not None and len(known) == len(final) == width and math.prod(final) <= contents.LIMIT:
        content = x.content
        for _ in range(width - len(x.shape)):
            content = (content,)
        content = _repeated(content, known)
    return x.with_(shape=made, content=content)


def _repeated(content: Any, counts: tuple[int, ...]) -> Any:
    """
    >>> _repeated(((1, 2),), (2, 1)), _repeated(((1,), (2,)), (1, 2))
    (((1, 2), (1, 2)), ((1, 1), (2, 2)))
    """
    return tuple(_repeated(item, counts[1:]) for item in content) * counts[0] if counts else content


@function("tensorflow.tile")
def tf_tile(input: Any, multiples: Any, name: Any = None) -> Outcome:
    return tile(input, multiples, "tf", "tf.tile")


@function("numpy.tile")
def np_tile(A: Any, reps: Any) -> Outcome:
    return tile(A, reps, "numpy", "np.tile")


@function(*paths.ops("tile"))
def keras_tile(x: Any, repeats: Any) -> Outcome:
    return tile(x, repeats, "keras", "keras.ops.tile")


@function("keras.backend.tile")
def backend_tile(x: Any, n: Any) -> Outcome:
    """tf.tile() with a list of one for a number (tf_keras/src/backend.py, keras/src/legacy/backend.py: tile)."""
    return tile(x, [n] if isinstance(n, int) else n, "tf", "keras.backend.tile")


def repeat(value: Any, repeats: Any, axis: Any, library: Library, name: str) -> Outcome:
    """Each element `repeats` times along `axis`; without an axis the tensor is flattened first."""
    x = as_tensor(value, library)
    if axis is None and isinstance(x, Tensor):
        x = reshape(x, (-1,), library, name)
        axis = 0
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown):
        return x
    place = find_axis(axis, len(x.shape), name, x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else x.with_(shape=tuple(Unknown("axis") for _ in x.shape))
    size = x.shape[place]
    if is_list(repeats) or (isinstance(repeats, Tensor) and repeats.rank != 0):
        each = numbers(repeats)
        if isinstance(each, Unknown) or not all(isinstance(one, int) for one in each):
            count: Dim = Unknown("repeats")
        else:
            count = known_size(times(size, each[0]) if len(each) == 1 else sum(each))
    else:
        count = times(size, size_of(repeats)) if repeats is not None else Unknown("repeats")
    return x.with_(shape=set_dim(x.shape, place, count))


@function("tensorflow.repeat")
def tf_repeat(input: Any, repeats: Any, axis: Any = None, name: Any = None) -> Outcome:
    return repeat(input, repeats, axis, "tf", "tf.repeat")


@function("numpy.repeat")
def np_repeat(a: Any, repeats: Any, axis: Any = None) -> Outcome:
    return repeat(a, repeats, axis, "numpy", "np.repeat")


@function(*paths.ops("repeat"))
def keras_repeat(x: Any, repeats: Any, axis: Any = None) -> Outcome:
    return repeat(x, repeats, axis, "keras", "keras.ops.repeat")


@function("keras.backend.repeat_elements")
def repeat_elements(x: Any, rep: Any, axis: Any) -> Outcome:
    return repeat(x, rep, axis, "keras", "keras.backend.repeat_elements")


@function("keras.backend.repeat")
def backend_repeat(x: Any, n: Any) -> Outcome:
    """(B, d) -> (B, n, d)."""
    tensor = as_tensor(x, "keras")
    if isinstance(tensor, Unknown) or isinstance(tensor.shape, Unknown) or len(tensor.shape) != 2:
        return Unknown("repeat")
    return tensor.with_(shape=(tensor.shape[0], size_of(n), tensor.shape[1]))


def pad_pairs(widths: Any, rank: int, library: Library) -> list[tuple[Any, Any]] | Unknown:
    """(before, after) per axis; numpy and Keras repeat a number or a single pair."""
    if isinstance(widths, Tensor):
        widths = widths.content if isinstance(widths.content, tuple) else Unknown("padding")
    if isinstance(widths, Unknown):
        return widths
    if not isinstance(widths, (list, tuple)):
        return Unknown("padding") if library == "tf" or isinstance(number(widths), Unknown) \
            else [(number(widths), number(widths))] * rank
    pairs: list[tuple[Any, Any]] = []
    for one in widths:
        pair = numbers(one)
        if isinstance(pair, Unknown) or len(pair) not in (1, 2):
            break
        pairs.append((pair[0], pair[-1]))
    if len(pairs) == len(widths) and pairs:
        return pairs * rank if len(pairs) == 1 and library != "tf" else pairs
    flat = numbers(widths)
    if library != "tf" and isinstance(flat, tuple) and len(flat) in (1, 2) and reasons(*flat) is None:
        return [(flat[0], flat[-1])] * rank
    return Unknown("padding")


def pad(value: Any, widths: Any, library: Library, name: str) -> Outcome:
    """
    >>> print(pad(Tensor((2, 28, 28), "uint8"), [[0, 0], [2, 2], [2, 2]], "numpy", "np.pad"))
    uint8[2, 32, 32]
    """
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    pairs = pad_pairs(widths, len(x.shape), library)
    if isinstance(pairs, Unknown):
        return x.with_(shape=tuple(Unknown("padding") for _ in x.shape))
    if len(pairs) != len(x.shape):
        return Mismatch(Problem.RANK, f"{name}: padding for {len(pairs)} axes, {x} has {len(x.shape)}",
                        error='InvalidArgumentError "The first dimension of paddings must be the rank of inputs" or '
                        'ValueError', argument="paddings", facts=(("expected", len(pairs)), ("actual", len(x.shape))))
    shape = tuple(dim if (before, after) == (0, 0) else known_size(lift(lambda n, a, b: n + a + b, dim, before, after))
                  for dim, (before, after) in zip(x.shape, pairs, strict=True))
    return x.with_(shape=shape)


@function("tensorflow.pad")
def tf_pad(tensor: Any, paddings: Any, mode: Any = "CONSTANT", constant_values: Any = 0, name: Any = None) -> Outcome:
    return mirrored(tensor, paddings, mode) or pad(tensor, paddings, "tf", "tf.pad")


def mirrored(value: Any, widths: Any, mode: Any) -> Mismatch | None:
    """An axis is not mirrored by more than it has (tensorflow/core/kernels/image/mirror_pad_op.cc: MirrorPadOp)."""
    x, kind = as_tensor(value, "tf"), mode.upper() if isinstance(mode, str) else ""
    if kind not in MIRRORED or not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return None
    pairs = pad_pairs(widths, len(x.shape), "tf")
    for axis, pair in enumerate(pairs if isinstance(pairs, list) and len(pairs) == len(x.shape) else ()):
        most = x.shape[axis]
        widest = max((side for side in pair if isinstance(side, int)), default=0)
        if isinstance(most, int) and widest > most - MIRRORED[kind]:
            return Mismatch(
                Problem.INVALID_ARGUMENT, f"tf.pad mirrors {widest} of axis {axis} of {x}, which has {most}",
                argument="paddings", help=f"at most {most - MIRRORED[kind]} there",
                error='InvalidArgumentError "paddings must be less than the dimension size" or "no greater than"')
    return None


MIRRORED = {"REFLECT": 1, "SYMMETRIC": 0}
"""Modes -> how many elements of an axis are not repeated: its edge."""


@function("numpy.pad")
def np_pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Outcome:
    return pad(array, pad_width, "numpy", "np.pad")


@function(*paths.ops("pad"))
def keras_pad(x: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = None) -> Outcome:
    return pad(x, pad_width, "keras", "keras.ops.pad")


@function("keras.backend.temporal_padding")
def temporal_padding(x: Any, padding: Any = (1, 1)) -> Outcome:
    return pad(x, [[0, 0], padding, [0, 0]], "keras", "keras.backend.temporal_padding")


def _spatial(x: Any, padding: Any, data_format: Any, count: int, name: str) -> Outcome:
    if data_format not in (None, "channels_last", "channels_first") or not isinstance(padding, (list, tuple)):
        return Unknown("padding")
    pairs = [list(pair) if isinstance(pair, tuple) else pair for pair in padding][:count]
    widths = [[0, 0], [0, 0], *pairs] if data_format == "channels_first" else [[0, 0], *pairs, [0, 0]]
    return pad(x, widths, "keras", name)


@function("keras.backend.spatial_2d_padding")
def spatial_2d_padding(x: Any, padding: Any = ((1, 1), (1, 1)), data_format: Any = None) -> Outcome:
    return _spatial(x, padding, data_format, 2, "keras.backend.spatial_2d_padding")


@function("keras.backend.spatial_3d_padding")
def spatial_3d_padding(x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: Any = None) -> Outcome:
    return _spatial(x, padding, data_format, 3, "keras.backend.spatial_3d_padding")


def broadcast_to(value: Any, shape: Any, library: Library, name: str) -> Outcome:
    x = as_tensor(value, library)
    target = new_shape(shape, name)
    if isinstance(x, Unknown) or isinstance(target, Mismatch):
        return target if isinstance(target, Mismatch) else Tensor(target, x)  # type: ignore[arg-type]
    if isinstance(target, Unknown) or isinstance(x.shape, Unknown):
        return x.with_(shape=target)
    joined = broadcast(x.shape, target)
    if joined is None or len(x.shape) > len(target):
        return broadcast_problem(x, x.with_(shape=target), name)
    return x.with_(shape=target)


@function("tensorflow.broadcast_to")
def tf_broadcast_to(input: Any, shape: Any, name: Any = None) -> Outcome:
    return broadcast_to(input, shape, "tf", "tf.broadcast_to")


@function("numpy.broadcast_to")
def np_broadcast_to(array: Any, shape: Any, subok: Any = False) -> Outcome:
    return broadcast_to(array, shape, "numpy", "np.broadcast_to")


@function(*paths.ops("broadcast_to"))
def keras_broadcast_to(x: Any, shape: Any) -> Outcome:
    return broadcast_to(x, shape, "keras", "keras.ops.broadcast_to")


@function("numpy.resize")
def np_resize(a: Any, new_shape: Any) -> Outcome:
    """Repeats or cuts the elements: any shape is made."""
    x = as_tensor(a, "numpy")
    return x if isinstance(x, Unknown) else x.with_(shape=sizes(new_shape))
