"""tf.signal: from spectra back to samples, and cosine transforms."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import lift
from cudnnlint.ops.functions._core import known_size, number, numbers
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Tensor, Unknown

REAL = {"complex64": "float32", "complex128": "float64"}


def overlapped(frames: Dim, length: Dim, step: Any) -> Dim:
    """Samples under windows that overlap (tensorflow/python/ops/signal/reconstruction_ops.py: overlap_and_add).

    >>> overlapped(10, 8, 4)
    44
    """
    return known_size(lift(lambda n, k, s: (n - 1) * s + k, frames, length, number(step)))


@function("tensorflow.signal.overlap_and_add")
def overlap_and_add(signal: Any, frame_step: Any, name: Any = None) -> Outcome:
    x = as_tensor(signal, "tf")
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or len(x.shape) < 2:
        return Unknown("frames")
    return x.with_(shape=(*x.shape[:-2], overlapped(x.shape[-2], x.shape[-1], frame_step)))


@function("tensorflow.signal.inverse_stft")
def inverse_stft(stfts: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
                 window_fn: Any = Unknown("tf.signal.hann_window"), name: Any = None) -> Outcome:
    x = as_tensor(stfts, "tf")
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or len(x.shape) < 2:
        return Unknown("spectra")
    return x.with_(shape=(*x.shape[:-2], overlapped(x.shape[-2], number(frame_length), frame_step)),
                   dtype=REAL.get(str(x.dtype), Unknown("dtype")))


@function("tensorflow.signal.irfft")
def irfft(input_tensor: Any, fft_length: Any = None, name: Any = None) -> Outcome:
    """2 (n - 1) samples of n frequencies, unless fft_length says otherwise."""
    x = as_tensor(input_tensor, "tf")
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or not x.shape:
        return Unknown("spectra")
    given = numbers(fft_length)
    count: Dim = lift(lambda n: 2 * (n - 1), x.shape[-1]) if fft_length is None else \
        given[0] if isinstance(given, tuple) and given else Unknown("fft_length")
    return x.with_(shape=(*x.shape[:-1], known_size(count)), dtype=REAL.get(str(x.dtype), Unknown("dtype")))


@function("tensorflow.signal.dct", "tensorflow.signal.idct")
def dct(input: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, name: Any = None) -> Outcome:
    x = as_tensor(input, "tf")
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or not x.shape:
        return Unknown("signal")
    return x.with_() if n is None else x.with_(shape=(*x.shape[:-1], known_size(number(n))))
