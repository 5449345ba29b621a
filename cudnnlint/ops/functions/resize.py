"""Images of another size: resize, crop, pad, and their random forms."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import as_dim, lift
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import (
    extents,
    flag,
    is_list,
    known_size,
    rank_problem,
    reasons,
    shown,
    size_of,
    sizes,
)
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library
from cudnnlint.ops.functions.sliding import channels_first, spatial_values
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Shape, Tensor, Unknown
from cudnnlint.values.unknown import Unranked


def placed(x: Tensor | Unknown, size: Shape, dtype: DType, name: str, *, first: bool = False) -> Outcome:
    """(..., H, W, C) -> (..., *size, C)."""
    if isinstance(x, Unknown):
        return Tensor(x, dtype)
    if wrong := rank_problem(x, (3, 4), name, "images"):
        return wrong
    if isinstance(x.shape, Unknown):
        return x.with_(dtype=dtype)
    shape = (*x.shape[:-2], *size) if first else (*x.shape[:-3], *size, x.shape[-1])
    return x.with_(shape=shape, dtype=dtype)


def pair(size: Any) -> Shape:
    """(height, width) as extents."""
    found = sizes(size) if is_list(size) else Unknown("size")
    return found if isinstance(found, tuple) and len(found) == 2 else (Unknown("size"), Unknown("size"))


def is_nearest(method: Any) -> bool | None:
    """Nearest neighbour keeps the dtype; every other method gives float32."""
    text = method if isinstance(method, str) else getattr(method, "path", None)
    if not isinstance(text, str):
        return None if isinstance(method, Unknown) else method == 1
    return "nearest" in text.lower()


@function("tensorflow.image.resize")
def resize(images: Any, size: Any, method: Any = "bilinear", preserve_aspect_ratio: Any = False, antialias: Any = False,
           name: Any = None) -> Outcome:
    """
    >>> print(resize(Tensor((480, 640, 3), "uint8"), [224, 224]))
    float32[224, 224, 3]
    """
    x = as_tensor(images, "tf")
    nearest = is_nearest(method)
    own = x.dtype if isinstance(x, Tensor) else x
    dtype = own if nearest else "float32" if nearest is False else Unknown("method")
    goal, kept = pair(size), flag(preserve_aspect_ratio)
    if isinstance(x, Tensor) and isinstance(x.shape, Unranked) and x.shape.graph:
        return _unranked(x.shape)
    if wrong := _of_two(size) or _without_pixels(goal):
        return wrong
    if kept is not False:
        goal = _within(x, goal) if kept else (Unknown("aspect ratio"),) * 2
    return placed(x, goal, dtype, "tf.image.resize")


def _unranked(shape: Unranked) -> Mismatch:
    """tensorflow/python/ops/image_ops_impl.py: _resize_images_common"""
    return Mismatch(Problem.RANK, f"tf.image.resize: images of a shape of which nothing is known, {shape.why}",
                    help="decode_image(..., expand_animations=False)" if "decode_image" in shape.why else
                    "set_shape([None, None, 3]) of it first", error="ValueError \"'images' contains no shape.\"")


def _of_two(size: Any) -> Mismatch | None:
    """tensorflow/python/ops/image_ops_impl.py: _resize_images_common"""
    found = sizes(size) if is_list(size) else (size,)
    if (not is_list(size) and type(size) is not int) or not isinstance(found, tuple) or len(found) == 2:
        return None
    return Mismatch(Problem.INVALID_ARGUMENT, f"tf.image.resize: size {shown(found) if is_list(size) else size} is "
                    "no height and width", help="size=(height, width)", argument="size",
                    error="ValueError \"'size' must be a 1-D Tensor of 2 elements: new_height, new_width\"")


def _without_pixels(size: Shape) -> Mismatch | None:
    """tensorflow/core/util/image_resizer_state.h: ImageResizerState::ValidateAndCalculateOutputSize"""
    if not any(isinstance(dim, int) and dim <= 0 for dim in size):
        return None
    return Mismatch(Problem.INVALID_ARGUMENT, f"tf.image.resize: no image has height and width {shown(size)}",
                    error='InvalidArgumentError "output dimensions must be positive"', argument="size",
                    facts=(("size", size),))


def _within(x: Tensor | Unknown, goal: Shape) -> Shape:
    """The largest size of the same proportions within `goal`, rounded (tensorflow/python/ops/image_ops_impl.py:
    _resize_images_common), which nobody knows for images of an unknown size.

    >>> _within(Tensor((200, 300, 3), "uint8"), (160, 160))
    (107, 160)
    """
    own = x.shape[-3:-1] if isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) in (3, 4) else ()
    sizes = [(have, want) for have, want in zip(own, goal, strict=False)
             if isinstance(have, int) and isinstance(want, int) and have > 0]
    if len(sizes) < 2:
        return (Unknown("aspect ratio"),) * 2
    scaled = [have * min(want / had for had, want in sizes) for have, _ in sizes]
    halves = any(abs(size % 1 - 0.5) < NEAR_HALF for size in scaled)
    return (Unknown("aspect ratio"),) * 2 if halves else tuple(map(round, scaled))


NEAR_HALF = 1e-3
"""TensorFlow computes in float32: which way a half is rounded is not known."""


@function("tensorflow.image.resize_with_pad")
def resize_with_pad(image: Any, target_height: Any, target_width: Any, method: Any = "bilinear",
                    antialias: Any = False) -> Outcome:
    x = as_tensor(image, "tf")
    nearest = is_nearest(method)
    own = x.dtype if isinstance(x, Tensor) else x
    dtype = own if nearest else "float32" if nearest is False else Unknown("method")
    return placed(x, (size_of(target_height), size_of(target_width)), dtype, "tf.image.resize_with_pad")


def _own(x: Tensor | Unknown) -> DType:
    return x.dtype if isinstance(x, Tensor) else x


@function("tensorflow.image.resize_with_crop_or_pad", "tensorflow.image.resize_image_with_crop_or_pad")
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Outcome:
    """An image of unknown rank is taken for a single one (tensorflow/python/ops/image_ops_impl.py)."""
    x = as_tensor(image, "tf")
    if isinstance(x, Tensor) and isinstance(x.shape, Unknown):
        return x.with_(shape=Unknown("a picture that is cropped or padded"))
    return placed(x, (size_of(target_height), size_of(target_width)), _own(x), "tf.image.resize_with_crop_or_pad")


def _box_problem(name: str, what: str, size: Dim, offset: Any, target: Any) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: {what} {size} with offset {offset} and target {target}",
                    error=f'ValueError "{what} must be >= target + offset" or "<= target - offset"',
                    argument=f"target_{what}", facts=(("size", size), ("offset", offset), ("target", target)))


def boxed(image: Any, offsets: tuple[Any, Any], targets: tuple[Any, Any], name: str, *, pads: bool) -> Outcome:
    x = as_tensor(image, "tf")
    goal = (size_of(targets[0]), size_of(targets[1]))
    made = placed(x, goal, _own(x), name)
    if not isinstance(made, Tensor) or not isinstance(x, Tensor) or isinstance(x.shape, Unknown):
        return made
    for what, size, offset, target in zip(("height", "width"), x.shape[-3:-1], map(as_dim, offsets), goal, strict=True):
        if isinstance(size, int) and isinstance(offset, int) and isinstance(target, int):
            need, have = (size + offset, target) if pads else (target + offset, size)
            if need > have:
                return _box_problem(name, what, size, offset, target)
    return made


@function("tensorflow.image.crop_to_bounding_box")
def crop_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any,
                         target_width: Any) -> Outcome:
    return boxed(image, (offset_height, offset_width), (target_height, target_width), "tf.image.crop_to_bounding_box",
                 pads=False)


@function("tensorflow.image.pad_to_bounding_box")
def pad_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any,
                        target_width: Any) -> Outcome:
    return boxed(image, (offset_height, offset_width), (target_height, target_width), "tf.image.pad_to_bounding_box",
                 pads=True)


@function("tensorflow.image.central_crop")
def central_crop(image: Any, central_fraction: Any) -> Outcome:
    """Both borders lose int((n - n * fraction) / 2) (tensorflow/python/ops/image_ops_impl.py: central_crop)."""
    x = as_tensor(image, "tf")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    if not isinstance(central_fraction, (int, float)) or not 0 < central_fraction <= 1:
        return placed(x, (Unknown("fraction"), Unknown("fraction")), x.dtype, "tf.image.central_crop")
    fraction = float(central_fraction)
    size = tuple(lift(lambda n: n - 2 * int((n - n * fraction) / 2), dim) for dim in x.shape[-3:-1])
    return placed(x, size, x.dtype, "tf.image.central_crop")


def random_crop(value: Any, size: Any, name: str) -> Outcome:
    """A window of `size`, which may not be larger than the value."""
    x, shape = as_tensor(value, "tf"), extents(size)
    if isinstance(x, Unknown):
        return Tensor(sizes(size), x)
    if isinstance(shape, Unknown) or isinstance(x.shape, Unknown):
        return x.with_(shape=shape)
    wide = [i for i, (have, want) in enumerate(zip(x.shape, shape, strict=False))
            if isinstance(have, int) and isinstance(want, int) and want > have]
    if len(shape) != len(x.shape) or wide:
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name}: cannot crop {shown(shape)} out of {x}",
                        error='InvalidArgumentError "Need value.shape >= size"', argument="size",
                        facts=(("expected", x.shape), ("actual", shape)))
    pairs = zip(x.shape, shape, strict=True)
    return x.with_(shape=tuple(have if want == -1 else known_size(want) for have, want in pairs))


@function("tensorflow.image.random_crop", "tensorflow.random_crop")
def tf_random_crop(value: Any, size: Any, seed: Any = None, name: Any = None) -> Outcome:
    return random_crop(value, size, "tf.image.random_crop")


@function("tensorflow.image.stateless_random_crop")
def stateless_random_crop(value: Any, size: Any, seed: Any, name: Any = None) -> Outcome:
    return random_crop(value, size, "tf.image.stateless_random_crop")


@function("tensorflow.image.crop_and_resize")
def crop_and_resize(image: Any, boxes: Any, box_indices: Any, crop_size: Any, method: Any = "bilinear",
                    extrapolation_value: Any = 0.0, name: Any = None) -> Outcome:
    """(boxes, *crop_size, C), float32."""
    x, rows = as_tensor(image, "tf"), as_tensor(boxes, "tf")
    count = rows.shape[0] if isinstance(rows, Tensor) and isinstance(rows.shape, tuple) and rows.shape \
        else Unknown("boxes")
    last = x.shape[-1] if isinstance(x, Tensor) and isinstance(x.shape, tuple) and x.shape else Unknown("channels")
    return Tensor((count, *pair(crop_size), last), "float32")


FRAMED = dict.fromkeys(("crop_to_aspect_ratio", "pad_to_aspect_ratio", "fill_mode", "fill_value"), ">=3.3")


@function("keras.ops.image.resize", versions={**paths.RENAMED, **FRAMED})
def keras_resize(image: Any, images: Any, size: Any, interpolation: Any = "bilinear", antialias: Any = False,
                 crop_to_aspect_ratio: Any = False, pad_to_aspect_ratio: Any = False, fill_mode: Any = "constant",
                 fill_value: Any = 0.0, data_format: Any = None) -> Outcome:
    """The dtype is kept."""
    x, first = as_tensor(paths.either(image, images), "keras"), channels_first(data_format)
    if first is None:
        return Unknown("data_format")
    return placed(x, pair(size), _own(x), "keras.ops.image.resize", first=first)


def framed(images: Any, sides: tuple[Any, ...], targets: tuple[Any, Any], data_format: Any, *, pads: bool,
           library: Library = "keras") -> Outcome:
    """Keras' crop_images and pad_images: of (before, after, target) two are given per axis."""
    x, first = as_tensor(images, library), channels_first(data_format)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or first is None or len(x.shape) not in (3, 4):
        return x if isinstance(x, Unknown) else x.with_(shape=Unknown("data_format"))
    old = x.shape[-2:] if first else x.shape[-3:-1]
    size: list[Dim] = []
    for dim, before, after, target in zip(old, sides[0::2], sides[1::2], targets, strict=True):
        if target is not None:
            size.append(size_of(target))
        elif before is None or after is None or reasons(before, after):
            size.append(Unknown("cropping"))
        else:
            sign = 1 if pads else -1
            size.append(known_size(lift(lambda n, a, b, s: n + s * (a + b), dim, as_dim(before), as_dim(after), sign)))
    return placed(x, tuple(size), x.dtype, "keras.ops.image", first=first)


@function("keras.ops.image.crop_images", versions={"data_format": ">=3.4"})
def crop_images(images: Any, top_cropping: Any = None, left_cropping: Any = None, bottom_cropping: Any = None,
                right_cropping: Any = None, target_height: Any = None, target_width: Any = None,
                data_format: Any = None) -> Outcome:
    return framed(images, (top_cropping, bottom_cropping, left_cropping, right_cropping), (target_height, target_width),
                  data_format, pads=False)


@function("keras.ops.image.pad_images", versions={"data_format": ">=3.4"})
def pad_images(images: Any, top_padding: Any = None, left_padding: Any = None, bottom_padding: Any = None,
               right_padding: Any = None, target_height: Any = None, target_width: Any = None,
               data_format: Any = None) -> Outcome:
    return framed(images, (top_padding, bottom_padding, left_padding, right_padding), (target_height, target_width),
                  data_format, pads=True)


def scaled(x: Any, factors: tuple[Any, ...], data_format: Any) -> Outcome:
    """keras.backend.resize_images: extents times integer factors."""
    tensor, first = as_tensor(x, "keras"), channels_first(data_format)
    if isinstance(tensor, Unknown) or isinstance(tensor.shape, Unknown) or first is None \
            or len(tensor.shape) != len(factors) + 2:
        return Unknown("images")
    spatial = tensor.shape[2:] if first else tensor.shape[1:-1]
    grown = tuple(lift(lambda n, f: n * f, n, spatial_values(f, 1, None)[0])
                  for n, f in zip(spatial, factors, strict=True))
    lead, last = tensor.shape[0], tensor.shape[1] if first else tensor.shape[-1]
    return tensor.with_(shape=(lead, last, *grown) if first else (lead, *grown, last))


@function("keras.backend.resize_images")
def resize_images(x: Any, height_factor: Any, width_factor: Any, data_format: Any,
                  interpolation: Any = "nearest") -> Outcome:
    return scaled(x, (height_factor, width_factor), data_format)


@function("keras.backend.resize_volumes")
def resize_volumes(x: Any, depth_factor: Any, height_factor: Any, width_factor: Any, data_format: Any) -> Outcome:
    return scaled(x, (depth_factor, height_factor, width_factor), data_format)
