"""tf.signal: frames, Fourier transforms, and a few one-dimensional numpy helpers."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import lift
from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions._core import find_axis, known_size, number, numbers
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Tensor, Unknown

COMPLEX = {"float32": "complex64", "float64": "complex128"}


def frames(size: Dim, length: Any, step: Any, pad_end: Any) -> Dim:
    """How many windows of `length` fit every `step` samples (tensorflow/python/ops/signal/shape_ops.py: frame).

    >>> frames(16000, 255, 128, False), frames(10, 4, 4, True)
    (124, 3)
    """
    wide, hop = number(length), number(step)
    if isinstance(wide, Unknown) or isinstance(hop, Unknown) or hop <= 0 or not isinstance(pad_end, bool):
        return Unknown("frames")
    if pad_end:
        return lift(lambda n: -(-n // hop), size)
    return lift(lambda n: max(0, 1 + (n - wide) // hop), size)


@function("tensorflow.signal.frame")
def frame(signal: Any, frame_length: Any, frame_step: Any, pad_end: Any = False, pad_value: Any = 0, axis: Any = -1,
          name: Any = None) -> Outcome:
    x = as_tensor(signal, "tf")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown):
        return x
    place = find_axis(axis, len(x.shape), "tf.signal.frame", x)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else x.with_(shape=place)
    count = frames(x.shape[place], frame_length, frame_step, pad_end)
    return x.with_(shape=(*x.shape[:place], count, known_size(number(frame_length)), *x.shape[place + 1:]))


def bins(length: Any) -> Dim:
    """Of a real transform: length // 2 + 1."""
    count = number(length)
    return count // 2 + 1 if isinstance(count, int) and count >= 0 else Unknown("fft_length")


@function("tensorflow.signal.stft")
def stft(signals: Any, frame_length: Any, frame_step: Any, fft_length: Any = None, window_fn: Any = None,
         pad_end: Any = False, name: Any = None) -> Outcome:
    """(..., samples) -> (..., frames, fft_length // 2 + 1); fft_length is the next power of 2 unless given."""
    x, wide = as_tensor(signals, "tf"), number(frame_length)
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or not x.shape:
        return Unknown("signals")
    length = (1 << max(wide - 1, 0).bit_length() if isinstance(wide, int) and wide < 1 << 32 else wide) \
        if fft_length is None else fft_length
    dtype = COMPLEX.get(str(x.dtype), Unknown("dtype"))
    return x.with_(shape=(*x.shape[:-1], frames(x.shape[-1], frame_length, frame_step, pad_end), bins(length)),
                   dtype=dtype)


@function("tensorflow.signal.rfft")
def rfft(input_tensor: Any, fft_length: Any = None, name: Any = None) -> Outcome:
    x = as_tensor(input_tensor, "tf")
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or not x.shape:
        return Unknown("signal")
    given = numbers(fft_length)
    length = given[0] if isinstance(given, tuple) and given else Unknown("fft_length")
    count = known_size(lift(lambda n: n // 2 + 1, x.shape[-1] if fft_length is None else length))
    return x.with_(shape=(*x.shape[:-1], count), dtype=COMPLEX.get(str(x.dtype), Unknown("dtype")))


@function("tensorflow.signal.fft", "tensorflow.signal.ifft", "tensorflow.signal.fft2d", "tensorflow.signal.ifft2d",
          "tensorflow.signal.fft3d", "tensorflow.signal.ifft3d")
def fft(input: Any, name: Any = None) -> Outcome:
    x = as_tensor(input, "tf")
    return x.with_() if isinstance(x, Tensor) else x


@function("tensorflow.signal.hann_window", "tensorflow.signal.hamming_window")
def window(window_length: Any, periodic: Any = True, dtype: Any = "float32", name: Any = None) -> Outcome:
    return Tensor((known_size(number(window_length)),), as_dtype(dtype, "float32"))


@function("tensorflow.reverse_sequence")
def reverse_sequence(input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None,
                     name: Any = None) -> Outcome:
    x = as_tensor(input, "tf")
    return x.with_() if isinstance(x, Tensor) else x


@function("numpy.isin")
def isin(element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, *,
         kind: Any = None) -> Outcome:
    x = as_tensor(element, "numpy")
    return Tensor(x, "bool") if isinstance(x, Unknown) else x.with_(dtype="bool")


@function("numpy.bincount")
def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Outcome:
    held, least = as_tensor(x, "numpy"), number(minlength)
    items = contents.flat(held.content) if isinstance(held, Tensor) else None
    known = items and all(type(item) is int and item >= 0 for item in items) and isinstance(least, int)
    size = max(max(items) + 1, least) if known else Unknown("the largest value")  # type: ignore[arg-type]
    return Tensor((size,), "int64" if weights is None else "float64", "numpy")


@function("numpy.frombuffer")
def frombuffer(buffer: Any, dtype: Any = None, count: Any = -1, offset: Any = 0, *, like: Any = None) -> Outcome:
    size = number(count)
    return Tensor((size if isinstance(size, int) and size >= 0 else Unknown("length of a buffer"),),
                  as_dtype(dtype, "float64", "numpy"))


@function("tensorflow.signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(num_mel_bins: Any = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000,
                                lower_edge_hertz: Any = 125.0, upper_edge_hertz: Any = 3800.0,
                                dtype: Any = "float32", name: Any = None) -> Outcome:
    """
    >>> print(linear_to_mel_weight_matrix(80, 513))
    float32[513, 80]
    """
    return Tensor((known_size(number(num_spectrogram_bins)), known_size(number(num_mel_bins))),
                  as_dtype(dtype, "float32"))


@function("tensorflow.signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: Any = None) -> Outcome:
    return as_tensor(log_mel_spectrograms, "tf")
