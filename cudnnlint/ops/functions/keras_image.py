"""keras.ops.image: images moved, blurred, sampled and compared."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import may_equal, window
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import known_size, rank_problem, sizes
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.einops import rearranged
from cudnnlint.ops.functions.keras_products import shaped
from cudnnlint.ops.functions.sliding import spatial_values, split
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.dim import product


def kept(images: Any, name: str) -> Outcome:
    x = as_tensor(images, "keras")
    if not isinstance(x, Tensor):
        return x
    return rank_problem(x, (3, 4), f"keras.ops.image.{name}", "images") or x.with_()


@function("keras.ops.image.affine_transform", versions=paths.RENAMED)
def affine_transform(image: Any, images: Any, transform: Any, interpolation: Any = "bilinear",
                     fill_mode: Any = "constant", fill_value: Any = 0, data_format: Any = None) -> Outcome:
    return kept(paths.either(image, images), "affine_transform")


@function("keras.ops.image.perspective_transform")
def perspective_transform(images: Any, start_points: Any, end_points: Any, interpolation: Any = "bilinear",
                          fill_value: Any = 0, data_format: Any = None) -> Outcome:
    return kept(images, "perspective_transform")


@function("keras.ops.image.elastic_transform")
def elastic_transform(images: Any, alpha: Any = 20.0, sigma: Any = 5.0, interpolation: Any = "bilinear",
                      fill_mode: Any = "reflect", fill_value: Any = 0.0, seed: Any = None,
                      data_format: Any = None) -> Outcome:
    return kept(images, "elastic_transform")


@function("keras.ops.image.gaussian_blur")
def gaussian_blur(images: Any, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0), data_format: Any = None) -> Outcome:
    return kept(images, "gaussian_blur")


@function("keras.ops.image.sobel_edges")
def sobel_edges(images: Any, data_format: Any = None) -> Outcome:
    """(N, H, W, C) -> (N, H, W, C, 2)."""
    found = shaped(images)
    if isinstance(found, Unknown):
        return found
    ((x, shape),) = found
    return rank_problem(x, (4,), "keras.ops.image.sobel_edges", "images") or x.with_(shape=(*shape, 2))


@function("keras.ops.image.ssim")
def ssim(image1: Any, image2: Any, max_val: Any = 1.0, filter_size: Any = 11, filter_sigma: Any = 1.5, k1: Any = 0.01,
         k2: Any = 0.03, data_format: Any = None) -> Outcome:
    """A number for each image."""
    found = shaped(image1, image2)
    if isinstance(found, Unknown):
        return found
    for name, (x, _) in zip(("image1", "image2"), found, strict=True):
        if wrong := rank_problem(x, (3, 4), "keras.ops.image.ssim", name):
            return wrong
    (x, shape), (_, other) = found
    same = len(shape) == len(other) and all(map(may_equal, shape, other))
    return x.with_(shape=(() if len(shape) == 3 else (shape[0],)) if same else Unknown("images of different shapes"))


@function("keras.ops.image.map_coordinates")
def map_coordinates(inputs: Any, coordinates: Any, order: Any, fill_mode: Any = "constant",
                    fill_value: Any = 0) -> Outcome:
    """A value for each column of `coordinates`, which has a row for each axis (keras/src/ops/image.py)."""
    found = shaped(inputs, coordinates)
    if isinstance(found, Unknown):
        return found
    (x, shape), (places, rows) = found
    if len(rows) < 2:
        return rank_problem(places, (2, 3, 4), "keras.ops.image.map_coordinates", "coordinates") or Unknown("rank")
    if isinstance(rows[0], int) and rows[0] != len(shape):
        return Mismatch(Problem.RANK, f"keras.ops.image.map_coordinates: {rows[0]} rows of coordinates for {x}, which "
                        f"has {len(shape)} axes", error='ValueError "First dim of `coordinates` must be the same as '
                        'the rank of `inputs`"', argument="coordinates",
                        facts=(("expected", len(shape)), ("actual", rows[0])))
    return x.with_(shape=rows[1:])


@function("keras.ops.image.scale_and_translate")
def scale_and_translate(images: Any, output_shape: Any, scale: Any, translation: Any, spatial_dims: Any, method: Any,
                        antialias: Any = True) -> Outcome:
    x = as_tensor(images, "keras")
    return x.with_(shape=sizes(output_shape)) if isinstance(x, Tensor) else x


@function("keras.ops.image.extract_patches_3d")
def extract_patches_3d(volumes: Any, size: Any, strides: Any = None, dilation_rate: Any = 1, padding: Any = "valid",
                       data_format: Any = None) -> Outcome:
    return volume_patches(volumes, size, strides, dilation_rate, padding, data_format)


def volume_patches(volumes: Any, size: Any, strides: Any, dilation_rate: Any, padding: Any,
                   data_format: Any) -> Outcome:
    """(..., D, H, W, C) -> (..., depths, rows, columns, d * h * w * C)."""
    x, name = as_tensor(volumes, "keras"), "keras.ops.image.extract_patches_3d"
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple):
        return x
    if wrong := rank_problem(x, (4, 5), name, "volumes"):
        return wrong
    at = split(x, 3, data_format) if len(x.shape) == 5 else Unknown("a single volume")
    if isinstance(at, Unknown):
        return x.with_(shape=at)
    extent, rate = spatial_values(size, 3, data_format), spatial_values(dilation_rate, 3, data_format)
    step = extent if strides is None else spatial_values(strides, 3, data_format)
    mode = padding.lower() if isinstance(padding, str) else padding
    grid = tuple(window(n, k, s, mode, d) for n, k, s, d in zip(at.spatial, extent, step, rate, strict=True))
    return x.with_(shape=tuple(map(known_size, at.shape(grid, product((*extent, at.channel))))))


@function("keras.ops.rearrange")
def rearrange(tensor: Any, pattern: Any, **axes_lengths: Any) -> Outcome:
    """As einops does it, but for patterns that Keras does not know (keras/src/ops/einops.py)."""
    x = as_tensor(tensor, "keras")
    strange = not isinstance(pattern, str) or "..." in pattern or "1" in pattern
    if not isinstance(x, Tensor) or strange:
        return x if isinstance(x, Unknown) else x.with_(shape=Unknown("rearrange"))
    return x.with_(shape=rearranged(x, pattern, axes_lengths))
