"""tf.image functions that keep an image's size, or change its channels and dtype."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import number, rank_problem, set_dim
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, as_dtype
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import DType, Mismatch, Problem, Tensor, Unknown


def image(value: Any, name: str, dtype: DType | None = None, *, least: int = 3, library: Library = "tf") -> Outcome:
    """The same shape, of at least `least` axes."""
    x = as_tensor(value, library)
    if isinstance(x, Unknown):
        return x if dtype is None else Tensor(x, dtype)
    if x.rank is not None and x.rank < least:
        return rank_problem(x, tuple(range(least, 5)), name, "image")
    return x.with_(dtype=x.dtype if dtype is None else dtype)


def _turning(value: Any, name: str) -> Outcome:
    """An image or a batch of them (tensorflow/python/ops/image_ops_impl.py: _flip, _random_flip, rot90, transpose)."""
    x = as_tensor(value, "tf")
    return x if isinstance(x, Unknown) else rank_problem(x, (3, 4), name, "image") or x.with_()


def _flip(name: str) -> paths.Builder:
    def flip(image: Any) -> Outcome:
        return _turning(image, name)

    return flip


def _random_flip(name: str) -> paths.Builder:
    def random_flip(image: Any, seed: Any = None) -> Outcome:
        return _turning(image, name)

    return random_flip


def _stateless_flip(name: str) -> paths.Builder:
    def stateless_flip(image: Any, seed: Any) -> Outcome:
        return _turning(image, name)

    return stateless_flip


for _way in ("flip_left_right", "flip_up_down"):
    function(f"tensorflow.image.{_way}")(_flip(f"tf.image.{_way}"))
    function(f"tensorflow.image.random_{_way}")(_random_flip(f"tf.image.random_{_way}"))
    function(f"tensorflow.image.stateless_random_{_way}")(_stateless_flip(f"tf.image.stateless_random_{_way}"))


@function("tensorflow.image.per_image_standardization")
def per_image_standardization(image: Any) -> Outcome:
    """Always float32 (tensorflow/python/ops/image_ops_impl.py: per_image_standardization)."""
    made = _standing(image, "tf.image.per_image_standardization")
    return made.with_(dtype="float32") if isinstance(made, Tensor) else made


def _standing(value: Any, name: str) -> Outcome:
    return image(value, name)


@function("tensorflow.image.random_brightness", "tensorflow.image.random_hue")
def random_delta(image: Any, max_delta: Any, seed: Any = None) -> Outcome:
    return loose(image)


@function("tensorflow.image.stateless_random_brightness", "tensorflow.image.stateless_random_hue")
def stateless_random_delta(image: Any, max_delta: Any, seed: Any) -> Outcome:
    return loose(image)


@function("tensorflow.image.stateless_random_contrast")
def stateless_random_range(image: Any, lower: Any, upper: Any, seed: Any) -> Outcome:
    return loose(image)


@function("tensorflow.image.random_contrast", "tensorflow.image.random_saturation",
          "tensorflow.image.stateless_random_saturation")
def random_range(image: Any, lower: Any, upper: Any, seed: Any = None) -> Outcome:
    return loose(image)


def loose(value: Any) -> Outcome:
    x = as_tensor(value, "tf")
    return x.with_() if isinstance(x, Tensor) else x


@function("tensorflow.image.random_jpeg_quality")
def random_jpeg_quality(image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any = None) -> Outcome:
    return loose(image)


@function("tensorflow.image.adjust_brightness")
def adjust_brightness(image: Any, delta: Any) -> Outcome:
    return loose(image)


@function("tensorflow.image.adjust_contrast")
def adjust_contrast(images: Any, contrast_factor: Any) -> Outcome:
    return loose(images)


@function("tensorflow.image.adjust_gamma")
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Outcome:
    return loose(image)


@function("tensorflow.image.adjust_hue")
def adjust_hue(image: Any, delta: Any, name: Any = None) -> Outcome:
    return loose(image)


@function("tensorflow.image.adjust_saturation")
def adjust_saturation(image: Any, saturation_factor: Any, name: Any = None) -> Outcome:
    return loose(image)


@function("tensorflow.image.adjust_jpeg_quality")
def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: Any = "", name: Any = None) -> Outcome:
    return loose(image)


@function("tensorflow.image.convert_image_dtype")
def convert_image_dtype(image: Any, dtype: Any, saturate: Any = False, name: Any = None) -> Outcome:
    x = as_tensor(image, "tf")
    wanted = as_dtype(dtype, "float32")
    return Tensor(x, wanted) if isinstance(x, Unknown) else x.with_(dtype=wanted)


def channels(value: Any, before: int, after: int, name: str, library: Library = "tf") -> Outcome:
    """The last axis from `before` to `after` channels.

    >>> print(channels(Tensor((32, 32, 3), "uint8"), 3, 1, "tf.image.rgb_to_grayscale"))
    uint8[32, 32, 1]
    """
    x = as_tensor(value, library)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or not x.shape:
        return x
    last = x.shape[-1]
    if library == "keras" and last == after:
        return x.with_()
    if isinstance(last, int) and last != before:
        return Mismatch(Problem.CHANNELS, f"{name} needs {before} channel{'s' if before > 1 else ''}, the image has "
                        f"{last}: {x}", error='ValueError or InvalidArgumentError about the last dimension',
                        argument="images", facts=(("expected", before), ("actual", last)))
    return x.with_(shape=set_dim(x.shape, len(x.shape) - 1, after))


@function("tensorflow.image.rgb_to_grayscale")
def rgb_to_grayscale(images: Any, name: Any = None) -> Outcome:
    found = channels(images, 3, 1, "tf.image.rgb_to_grayscale")
    x = as_tensor(images, "tf")
    if not isinstance(found, Mismatch) or not isinstance(x, Tensor) or not isinstance(x.shape, tuple) \
            or all(isinstance(dim, int) for dim in x.shape):
        return found
    # by tensordot(), which a graph of open extents asks nothing (tensorflow/python/ops/math_ops.py; run with 2.21)
    return replace(found, otherwise=x.with_(shape=set_dim(x.shape, len(x.shape) - 1, 1)))


@function("tensorflow.image.grayscale_to_rgb")
def grayscale_to_rgb(images: Any, name: Any = None) -> Outcome:
    return channels(images, 1, 3, "tf.image.grayscale_to_rgb")


@function("tensorflow.image.rgb_to_hsv", "tensorflow.image.hsv_to_rgb")
def rgb_to_hsv(images: Any, name: Any = None) -> Outcome:
    return channels(images, 3, 3, "tf.image.rgb_to_hsv")


@function(*(f"tensorflow.image.{pair}" for pair in ("rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb")))
def rgb_to_yuv(images: Any) -> Outcome:
    return channels(images, 3, 3, "tf.image.rgb_to_yuv")


@function("tensorflow.image.rot90")
def rot90(image: Any, k: Any = 1, name: Any = None) -> Outcome:
    turns = number(k)
    x = _turning(image, "tf.image.rot90")
    if isinstance(turns, int) and turns % 2 == 0:
        return x
    turned = _turned(x)
    if isinstance(turns, int) or not isinstance(turned, Tensor):
        return turned
    return turned.with_(shape=Unknown("quarter turns"))


def _turned(x: Outcome) -> Outcome:
    """Height and width swapped."""
    if not isinstance(x, Tensor) or isinstance(x.shape, Unknown):
        return x
    return x.with_(shape=(*x.shape[:-3], x.shape[-2], x.shape[-3], x.shape[-1]))


@function("tensorflow.image.transpose")
def transpose(image: Any, name: Any = None) -> Outcome:
    return _turned(_turning(image, "tf.image.transpose"))


def _keras_channels(before: int, after: int, called: str) -> paths.Builder:
    def build(image: Any, images: Any, data_format: Any = None) -> Outcome:
        if data_format not in (None, "channels_last"):
            return Unknown("data_format")
        return channels(paths.either(image, images), before, after, f"keras.ops.image.{called}", "keras")

    return build


paths.spell(_keras_channels(3, 1, "rgb_to_grayscale"), "keras.ops.image.rgb_to_grayscale", versions=paths.RENAMED)
paths.spell(_keras_channels(3, 3, "rgb_to_hsv"), "keras.ops.image.rgb_to_hsv", versions=paths.RENAMED)
paths.spell(_keras_channels(3, 3, "hsv_to_rgb"), "keras.ops.image.hsv_to_rgb", versions=paths.RENAMED)
