"""Elements moved between space, depth and batch: space_to_depth, depth_to_space, space_to_batch, patches."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import lift, product, window
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import known_size, number, numbers, rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.functions.extend import pad_pairs
from cudnnlint.ops.functions.sliding import spatial_values, split
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.windows import Split
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown


def _indivisible(name: str, what: str, size: Dim, block: int) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: {what} {size} is not divisible by {block}",
                    error='InvalidArgumentError "should be divisible by block_size"', argument="block_size",
                    facts=(("size", size), ("block", block)))


def _image(value: Any, data_format: Any, library: Library, name: str) -> tuple[Tensor, Split] | Unknown | Mismatch:
    x = as_tensor(value, library)
    if isinstance(x, Unknown):
        return x
    if wrong := rank_problem(x, (4,), name):
        return wrong
    at = split(x, 2, data_format)
    return at if isinstance(at, Unknown) else (x, at)


def space_to_depth(value: Any, block_size: Any, data_format: Any, library: Library, name: str) -> Outcome:
    """(N, H, W, C) -> (N, H / b, W / b, C * b * b).

    >>> print(space_to_depth(Tensor((1, 8, 8, 3), "float32"), 2, "NHWC", "tf", "tf.nn.space_to_depth"))
    float32[1, 4, 4, 12]
    """
    found, block = _image(value, data_format, library, name), number(block_size)
    if not isinstance(found, tuple) or not isinstance(block, int) or block < 1:
        return found if not isinstance(found, tuple) else Unknown("block_size")
    x, at = found
    for what, size in zip(("height", "width"), at.spatial, strict=True):
        if isinstance(size, int) and size % block:
            return _indivisible(name, what, size, block)
    spatial = tuple(lift(lambda n: n // block, size) for size in at.spatial)
    return x.with_(shape=at.shape(spatial, lift(lambda c: c * block * block, at.channel)))


def depth_to_space(value: Any, block_size: Any, data_format: Any, library: Library, name: str) -> Outcome:
    """(N, H, W, C) -> (N, H * b, W * b, C / b / b)."""
    found, block = _image(value, data_format, library, name), number(block_size)
    if not isinstance(found, tuple) or not isinstance(block, int) or block < 1:
        return found if not isinstance(found, tuple) else Unknown("block_size")
    x, at = found
    if isinstance(at.channel, int) and at.channel % (block * block):
        return _indivisible(name, "depth", at.channel, block * block)
    spatial = tuple(lift(lambda n: n * block, size) for size in at.spatial)
    return x.with_(shape=at.shape(spatial, lift(lambda c: c // (block * block), at.channel)))


@function("tensorflow.nn.space_to_depth", "tensorflow.space_to_depth")
def tf_space_to_depth(input: Any, block_size: Any, data_format: Any = "NHWC", name: Any = None) -> Outcome:
    return space_to_depth(input, block_size, data_format, "tf", "tf.nn.space_to_depth")


@function("tensorflow.nn.depth_to_space", "tensorflow.depth_to_space")
def tf_depth_to_space(input: Any, block_size: Any, data_format: Any = "NHWC", name: Any = None) -> Outcome:
    return depth_to_space(input, block_size, data_format, "tf", "tf.nn.depth_to_space")


@function(*paths.ops("space_to_depth", "nn"))
def keras_space_to_depth(x: Any, block_size: Any, data_format: Any = "channels_last") -> Outcome:
    return space_to_depth(x, block_size, data_format, "keras", "keras.ops.space_to_depth")


@function(*paths.ops("depth_to_space", "nn"))
def keras_depth_to_space(x: Any, block_size: Any, data_format: Any = "channels_last") -> Outcome:
    return depth_to_space(x, block_size, data_format, "keras", "keras.ops.depth_to_space")


def to_batch(value: Any, block_shape: Any, borders: Any, *, back: bool) -> Outcome:
    """space_to_batch pads and divides space, multiplies the batch; batch_to_space the reverse, cropping."""
    x, blocks = as_tensor(value, "tf"), numbers(block_shape)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or isinstance(blocks, Unknown):
        return x if isinstance(x, Unknown) else x.with_(shape=Unknown("block_shape"))
    pairs = pad_pairs(borders, len(blocks), "tf")
    if isinstance(pairs, Unknown) or len(pairs) != len(blocks) or len(x.shape) <= len(blocks):
        return x.with_(shape=Unknown("paddings"))
    area = product(blocks)
    space = x.shape[1:1 + len(blocks)]
    if back:
        batch = lift(lambda n, a: n // a if a else 0, x.shape[0], area)
        inner = tuple(lift(lambda n, b, p, q: n * b - p - q, n, b, *pair)
                      for n, b, pair in zip(space, blocks, pairs, strict=True))
    else:
        batch = lift(lambda n, a: n * a, x.shape[0], area)
        inner = tuple(lift(lambda n, b, p, q: (n + p + q) // b if b else 0, n, b, *pair)
                      for n, b, pair in zip(space, blocks, pairs, strict=True))
    return x.with_(shape=tuple(map(known_size, (batch, *inner, *x.shape[1 + len(blocks):]))))


@function("tensorflow.space_to_batch", "tensorflow.nn.space_to_batch")
def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: Any = None) -> Outcome:
    return to_batch(input, block_shape, paddings, back=False)


@function("tensorflow.space_to_batch_nd")
def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: Any = None) -> Outcome:
    return to_batch(input, block_shape, paddings, back=False)


@function("tensorflow.batch_to_space", "tensorflow.batch_to_space_nd")
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: Any = None) -> Outcome:
    return to_batch(input, block_shape, crops, back=True)


def patches(value: Any, sizes: Any, strides: Any, rates: Any, padding: Any, data_format: Any, library: Library,
            name: str) -> Outcome:
    """(N, H, W, C) -> (N, rows, columns, h * w * C)."""
    found = _image(value, data_format, library, name)
    if not isinstance(found, tuple):
        return found
    x, at = found
    size, step, rate = (spatial_values(one, 2, data_format) for one in (sizes, strides, rates))
    mode = padding.lower() if isinstance(padding, str) else padding
    grid = tuple(window(n, k, s, mode, d) for n, k, s, d in zip(at.spatial, size, step, rate, strict=True))
    return x.with_(shape=tuple(map(known_size, at.shape(grid, product((*size, at.channel))))))


@function("tensorflow.image.extract_patches")
def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: Any = None) -> Outcome:
    return patches(images, sizes, strides, rates, padding, "NHWC", "tf", "tf.image.extract_patches")


@function("keras.ops.image.extract_patches", versions=paths.RENAMED)
def keras_extract_patches(image: Any, images: Any, size: Any, strides: Any = None, dilation_rate: Any = 1,
                          padding: Any = "valid", data_format: Any = None) -> Outcome:
    x = as_tensor(paths.either(image, images), "keras")
    if isinstance(x, Tensor) and x.rank == 5:
        return Unknown("patches of a volume")
    if isinstance(x, Tensor) and x.rank == 3:
        return Unknown("patches of a single image")
    return patches(x, size, size if strides is None else strides, dilation_rate, padding, data_format, "keras",
                   "keras.ops.image.extract_patches")
