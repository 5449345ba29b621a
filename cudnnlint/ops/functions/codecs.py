"""Files and bytes: read_file, decode_jpeg and its kin, whose sizes only the file knows."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions._core import flag, known_size, number
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import FREE, Dim, DType, Tensor, Unknown


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
    return decoded(channels)


@function("tensorflow.io.decode_and_crop_jpeg", "tensorflow.image.decode_and_crop_jpeg")
def decode_and_crop_jpeg(contents: Any, crop_window: Any, channels: Any = 0, ratio: Any = 1,
                         fancy_upscaling: Any = True, try_recover_truncated: Any = False, acceptable_fraction: Any = 1,
                         dct_method: Any = "", name: Any = None) -> Outcome:
    return decoded(channels)


@function("tensorflow.io.decode_png", "tensorflow.image.decode_png")
def decode_png(contents: Any, channels: Any = 0, dtype: Any = "uint8", name: Any = None) -> Outcome:
    return decoded(channels, as_dtype(dtype, "uint8"))


@function("tensorflow.io.decode_bmp", "tensorflow.image.decode_bmp")
def decode_bmp(contents: Any, channels: Any = 0, name: Any = None) -> Outcome:
    return decoded(channels)


@function("tensorflow.io.decode_gif", "tensorflow.image.decode_gif")
def decode_gif(contents: Any, name: Any = None) -> Outcome:
    """(frames, height, width, 3)."""
    return Tensor((FREE, FREE, FREE, 3), "uint8")


@function("tensorflow.io.decode_image", "tensorflow.image.decode_image")
def decode_image(contents: Any, channels: Any = None, dtype: Any = "uint8", name: Any = None,
                 expand_animations: Any = True) -> Outcome:
    """A GIF has 4 axes, so not even the rank is known unless animations are not expanded."""
    found = as_dtype(dtype, "uint8")
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


@function("tensorflow.io.encode_png", "tensorflow.image.encode_png")
def encode_png(image: Any, compression: Any = -1, name: Any = None) -> Outcome:
    x = as_tensor(image, "tf")
    known = isinstance(x, Tensor) and isinstance(x.shape, tuple)
    return Tensor(x.shape[:-3] if known else Unknown("images"), "string")  # type: ignore[union-attr, index]


@function("tensorflow.io.encode_jpeg", "tensorflow.image.encode_jpeg")
def encode_jpeg(image: Any, format: Any = "", quality: Any = 95, progressive: Any = False, optimize_size: Any = False,
                chroma_downsampling: Any = True, density_unit: Any = "in", x_density: Any = 300, y_density: Any = 300,
                xmp_metadata: Any = "", name: Any = None) -> Outcome:
    return Tensor((), "string")
