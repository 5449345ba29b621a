"""Pooling functions: tf.nn.max_pool*, tf.nn.avg_pool*, keras.ops.max_pool, keras.backend.pool2d."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.convolutions import spatial_rank
from cudnnlint.ops.functions.dtypes import Library, as_dtype
from cudnnlint.ops.functions.sliding import make_slide, needs_rank, spatial_values, split
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Tensor, Unknown


def pool(value: Any, extent: Any, strides: Any, padding: Any, data_format: Any, rank: int, library: Library,
         name: str, dilations: Any = None, word: str = "ksize") -> Outcome:
    """(batch, *spatial, C) -> (batch, *windowed, C).

    >>> print(pool(Tensor((8, 32, 32, 3), "float32"), 2, 2, "VALID", "NHWC", 2, "tf", "tf.nn.max_pool2d"))
    float32[8, 16, 16, 3]
    """
    x = as_tensor(value, library)
    if isinstance(x, Unknown):
        return x
    if wrong := needs_rank(x, rank, name):
        return wrong
    at = split(x, rank, data_format)
    if isinstance(at, Unknown):
        return x.with_(shape=Unknown("data_format"))
    slide = make_slide(spatial_values(extent, rank, data_format), strides, dilations, padding, data_format, word)
    after = slide.over(at.spatial)
    out = x.with_(shape=at.shape(after, at.channel))
    zeroed = out.with_(shape=at.shape(tuple(max(n, 0) if isinstance(n, int) else n for n in after), at.channel))
    return slide.reject(at, after, zeroed) or out


LAYOUTS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def _tensorflow(rank: int, called: str) -> paths.Builder:
    def build(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = LAYOUTS[rank],
              name: Any = None) -> Outcome:
        return pool(input, ksize, strides, padding, data_format, rank, "tf", f"tf.nn.{called}")

    return build


def _any_rank(called: str) -> paths.Builder:
    def build(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: Any = None) -> Outcome:
        rank = spatial_rank(as_tensor(input, "tf"))
        if rank is None:
            return Unknown("rank of the input")
        return pool(input, ksize, strides, padding, data_format, rank, "tf", f"tf.nn.{called}")

    return build


def _keras(called: str) -> paths.Builder:
    def build(inputs: Any, pool_size: Any, strides: Any = None, padding: Any = "valid",
              data_format: Any = None) -> Outcome:
        rank = spatial_rank(as_tensor(inputs, "keras"))
        if rank is None:
            return Unknown("rank of the input")
        return pool(inputs, pool_size, pool_size if strides is None else strides, padding, data_format, rank, "keras",
                    f"keras.ops.{called}", word="pool_size")

    return build


def _register() -> None:
    for kind in ("max_pool", "avg_pool"):
        for rank in LAYOUTS:
            paths.spell(_tensorflow(rank, f"{kind}{rank}d"), f"tensorflow.nn.{kind}{rank}d")
        paths.spell(_any_rank(kind), f"tensorflow.nn.{kind}")
    for kind in ("max_pool", "average_pool"):
        paths.spell(_keras(kind), *paths.ops(kind, "nn"))


_register()


@function("tensorflow.nn.max_pool_with_argmax")
def max_pool_with_argmax(input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC",
                         output_dtype: Any = "int64", include_batch_in_index: Any = False, name: Any = None) -> Outcome:
    made = pool(input, ksize, strides, padding, data_format, 2, "tf", "tf.nn.max_pool_with_argmax")
    return (made, made.with_(dtype=as_dtype(output_dtype, "int64"))) if isinstance(made, Tensor) else made


@function("tensorflow.nn.pool")
def tf_pool(input: Any, window_shape: Any, pooling_type: Any, strides: Any = None, padding: Any = "VALID",
            data_format: Any = None, dilations: Any = None, name: Any = None) -> Outcome:
    rank = spatial_rank(as_tensor(input, "tf"))
    if rank is None:
        return Unknown("rank of the input")
    return pool(input, window_shape, strides, padding, data_format, rank, "tf", "tf.nn.pool", dilations)


@function("keras.backend.pool2d")
def pool2d(x: Any, pool_size: Any, strides: Any = (1, 1), padding: Any = "valid", data_format: Any = None,
           pool_mode: Any = "max") -> Outcome:
    return pool(x, pool_size, strides, padding, data_format, 2, "keras", "keras.backend.pool2d", word="pool_size")


@function("keras.backend.pool3d")
def pool3d(x: Any, pool_size: Any, strides: Any = (1, 1, 1), padding: Any = "valid", data_format: Any = None,
           pool_mode: Any = "max") -> Outcome:
    return pool(x, pool_size, strides, padding, data_format, 3, "keras", "keras.backend.pool3d", word="pool_size")
