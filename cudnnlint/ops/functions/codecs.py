"""Files and bytes: read_file, decode_jpeg and its kin, whose sizes only the file knows."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions._core import flag, known_size, number
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import FREE, Dim, DType, Mismatch, Problem, Tensor, Unknown

PICTURES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff")
NO_PICTURE = 'InvalidArgumentError "Unknown image file format. One of JPEG, PNG, GIF, BMP, TIFF, WEBP required."'


def of_path(contents: Any) -> Mismatch | None:
    """`tf.io.decode_jpeg("cat.jpg")`: the name of a file, not what is in it."""
    if not isinstance(contents, str) or not contents.lower().endswith(PICTURES):
        return None
    return Mismatch(Problem.UNEXPECTED, f"the name of a file is decoded, {contents!r}, not what it holds",
                    help=f"tf.io.read_file({contents!r}) gives that", error=NO_PICTURE)


def decoded(channels: Any, dtype: DType = "uint8") -> Tensor:
    """(height, width, channels); 0 channels means as many as the file has.

    >>> print(decoded(3), decoded(0))
    uint8[None, None, 3] uint8[None, None, None]
    """
    count = number(channels) if channels is not None else 0
    depth: Dim = FREE if count == 0 else known_size(count)
    return Tensor((FREE, FREE, depth), dtype)


@function("tensorflow.io.read_file", "tensorflow.read_file")
def read_file(filename: Any, name: Any = None) -> Outcome:
    return Tensor((), "string")


@function("tensorflow.io.decode_jpeg", "tensorflow.image.decode_jpeg")
def decode_jpeg(contents: Any, channels: Any = 0, ratio: Any = 1, fancy_upscaling: Any = True,
                try_recover_truncated: Any = False, acceptable_fraction: Any = 1, dct_method: Any = "",
                name: Any = None) -> Outcome:
    return of_path(contents) or decoded(channels)


@function("tensorflow.io.decode_and_crop_jpeg", "tensorflow.image.decode_and_crop_jpeg")
def decode_and_crop_jpeg(contents: Any, crop_window: Any, channels: Any = 0, ratio: Any = 1,
                         fancy_upscaling: Any = True, try_recover_truncated: Any = False, acceptable_fraction: Any = 1,
                         dct_method: Any = "", name: Any = None) -> Outcome:
    return of_path(contents) or decoded(channels)


@function("tensorflow.io.decode_png", "tensorflow.image.decode_png")
def decode_png(contents: Any, channels: Any = 0, dtype: Any = "uint8", name: Any = None) -> Outcome:
    return of_path(contents) or decoded(channels, as_dtype(dtype, "uint8"))


@function("tensorflow.io.decode_bmp", "tensorflow.image.decode_bmp")
def decode_bmp(contents: Any, channels: Any = 0, name: Any = None) -> Outcome:
    return of_path(contents) or decoded(channels)


@function("tensorflow.io.decode_gif", "tensorflow.image.decode_gif")
def decode_gif(contents: Any, name: Any = None) -> Outcome:
    """(frames, height, width, 3)."""
    return of_path(contents) or Tensor((FREE, FREE, FREE, 3), "uint8")


@function("tensorflow.io.decode_image", "tensorflow.image.decode_image")
def decode_image(contents: Any, channels: Any = None, dtype: Any = "uint8", name: Any = None,
                 expand_animations: Any = True) -> Outcome:
    """A GIF has 4 axes, so not even the rank is known unless animations are not expanded."""
    found = as_dtype(dtype, "uint8")
    if wrong := of_path(contents):
        return wrong
    if flag(expand_animations) is False:
        return decoded(channels, found)
    return Tensor(Unknown("decode_image gives 3 axes, or 4 for a GIF"), found)


@function("tensorflow.io.decode_raw", "tensorflow.decode_raw")
def decode_raw(input_bytes: Any, out_type: Any, little_endian: Any = True, fixed_length: Any = None,
               name: Any = None) -> Outcome:
    x = as_tensor(input_bytes, "tf")
    dtype = as_dtype(out_type, "uint8")
    lead = x.shape if isinstance(x, Tensor) else x
    return Tensor((*lead, FREE) if isinstance(lead, tuple) else Unknown("bytes"), dtype)


def unencoded(image: Any, name: str, dtypes: tuple[str, ...], counts: tuple[int, ...]) -> Mismatch | None:
    """tensorflow/core/ops/image_ops.cc: EncodeJpeg, EncodePng; tensorflow/core/kernels/image: encode_jpeg_op.cc,
    encode_png_op.cc"""
    if not isinstance(image, Tensor):
        return None
    if isinstance(image.dtype, str) and image.dtype not in dtypes:
        return Mismatch(Problem.DTYPE, f"{name} takes {' or '.join(dtypes)}, it is given {image}",
                        help="tf.image.convert_image_dtype(image, tf.uint8) of values from 0 to 1; tf.cast of others",
                        error='InvalidArgumentError "was expected to be a uint8 tensor" or "is not in the list of '
                              'allowed values: uint8, uint16"')
    if not isinstance(image.shape, tuple):
        return None
    wrong_rank = len(image.shape) != 3 if name == "encode_jpeg" else len(image.shape) < 3
    if wrong_rank:
        return Mismatch(Problem.RANK, f"{name} takes an image of 3 axes, it is given {image}",
                        help="image[..., tf.newaxis] of a grey one; one image of a batch after the other",
                        error='InvalidArgumentError "image must be 3-dimensional" or "images must be at least rank 3"')
    if isinstance(depth := image.shape[-1], int) and depth not in counts:
        return Mismatch(Problem.CHANNELS, f"{name} takes {', '.join(map(str, counts))} channels, it is given {image}",
                        error='InvalidArgumentError "image must have 1"')
    return None


@function("tensorflow.io.encode_png", "tensorflow.image.encode_png")
def encode_png(image: Any, compression: Any = -1, name: Any = None) -> Outcome:
    x = as_tensor(image, "tf")
    if wrong := unencoded(x, "encode_png", ("uint8", "uint16"), (1, 2, 3, 4)):
        return wrong
    known = isinstance(x, Tensor) and isinstance(x.shape, tuple)
    return Tensor(x.shape[:-3] if known else Unknown("images"), "string")  # type: ignore[union-attr, index]


@function("tensorflow.io.encode_jpeg", "tensorflow.image.encode_jpeg")
def encode_jpeg(image: Any, format: Any = "", quality: Any = 95, progressive: Any = False, optimize_size: Any = False,
                chroma_downsampling: Any = True, density_unit: Any = "in", x_density: Any = 300, y_density: Any = 300,
                xmp_metadata: Any = "", name: Any = None) -> Outcome:
    return unencoded(as_tensor(image, "tf"), "encode_jpeg", ("uint8",), (1, 3)) or Tensor((), "string")
