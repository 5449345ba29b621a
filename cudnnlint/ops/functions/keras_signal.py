"""keras.ops: Fourier transforms, whose complex numbers are pairs of tensors."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import lift, may_equal
from cudnnlint.ops.functions._core import known_size, number, rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.keras_products import shaped
from cudnnlint.ops.functions.signal import bins
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Shape, Tensor, Unknown


def real(dtype: DType) -> DType:
    return dtype if dtype in ("float32", "float64") else Unknown("a transform of that dtype")


def parts(x: Any, least: int, name: str) -> tuple[Tensor, Shape] | Unknown | Mismatch:
    """(real, imaginary), of the same shape (keras/src/ops/math.py: FFT)."""
    if isinstance(x, Tensor):
        return Unknown("one tensor for two")
    if not isinstance(x, list | tuple) or len(x) != 2:
        return Unknown("no pair of tensors")
    found = shaped(*x)
    if isinstance(found, Unknown):
        return found
    (first, shape), (_, other) = found
    if len(shape) != len(other) or not all(may_equal(m, n) for m, n in zip(shape, other, strict=True)):
        return Mismatch(Problem.BROADCAST, f"{name}: real and imaginary part differ: {first} and {found[1][0]}",
                        error='ValueError "Both the real and imaginary parts should have the same shape"',
                        argument="x", facts=(("shapes", (shape, other)),))
    if len(shape) < least:
        return rank_problem(first, (least, least + 1), name) or Unknown("rank")
    return first.with_(dtype=real(first.dtype)), shape


def _transform(least: int, name: str) -> Any:
    def build(x: Any) -> Outcome:
        found = parts(x, least, f"keras.ops.{name}")
        return (found[0].with_(), found[0].with_()) if isinstance(found, tuple) else found

    return build


for _name, _least in (("fft", 1), ("fft2", 2), ("ifft2", 2)):
    function(f"keras.ops.{_name}")(_transform(_least, _name))


@function("keras.ops.rfft")
def rfft(x: Any, fft_length: Any = None) -> Outcome:
    """(..., n) -> a pair of (..., n // 2 + 1)."""
    held = as_tensor(x, "keras")
    if not isinstance(held, Tensor) or not isinstance(held.shape, tuple) or not held.shape:
        return Unknown("signal")
    half = lift(lambda n: n // 2 + 1, held.shape[-1]) if fft_length is None else bins(fft_length)
    made = held.with_(shape=(*held.shape[:-1], half), dtype=real(held.dtype))
    return made, made.with_()


@function("keras.ops.irfft")
def irfft(x: Any, fft_length: Any = None) -> Outcome:
    found = parts(x, 1, "keras.ops.irfft")
    if not isinstance(found, tuple):
        return found
    held, shape = found
    size: Dim = lift(lambda n: 2 * (n - 1), shape[-1]) if fft_length is None else number(fft_length)
    return held.with_(shape=(*shape[:-1], known_size(size)))


@function("keras.ops.stft")
def stft(x: Any, sequence_length: Any, sequence_stride: Any, fft_length: Any, window: Any = "hann",
         center: Any = True) -> Outcome:
    """(..., n) -> a pair of (..., frames, fft_length // 2 + 1) (keras/src/ops/math.py: STFT)."""
    held, wide, step = as_tensor(x, "keras"), number(fft_length), number(sequence_stride)
    if not isinstance(held, Tensor) or not isinstance(held.shape, tuple) or not held.shape:
        return Unknown("signal")
    count: Dim = Unknown("frames")
    if isinstance(wide, int) and isinstance(step, int) and step > 0 and isinstance(center, bool):
        more = wide // 2 * 2 if center else 0
        count = known_size(lift(lambda n: 1 + (n + more - wide) // step, held.shape[-1]))
    made = held.with_(shape=(*held.shape[:-1], count, bins(fft_length)), dtype=real(held.dtype))
    return made, made.with_()


@function("keras.ops.istft")
def istft(x: Any, sequence_length: Any, sequence_stride: Any, fft_length: Any, length: Any = None,
          window: Any = "hann", center: Any = True) -> Outcome:
    """A pair of (..., frames, bins) -> (..., samples) (keras/src/ops/math.py: ISTFT)."""
    found = parts(x, 2, "keras.ops.istft")
    if not isinstance(found, tuple):
        return found
    (held, shape), wide, step = found, number(fft_length), number(sequence_stride)
    size: Dim = Unknown("samples")
    if length is not None:
        size = known_size(number(length))
    elif isinstance(wide, int) and isinstance(step, int) and isinstance(center, bool):
        less = wide // 2 * 2 if center else 0
        size = known_size(lift(lambda n: (n - 1) * step + wide - less, shape[-2]))
    return held.with_(shape=(*shape[:-2], size))


@function("keras.ops.extract_sequences")
def extract_sequences(x: Any, sequence_length: Any, sequence_stride: Any) -> Outcome:
    """
    >>> print(extract_sequences(Tensor((2, 64), "float32"), 16, 8))
    float32[2, 7, 16]
    """
    held, wide, step = as_tensor(x, "keras"), number(sequence_length), number(sequence_stride)
    if not isinstance(held, Tensor) or not isinstance(held.shape, tuple) or not held.shape:
        return Unknown("signal")
    count: Dim = Unknown("sequences")
    if isinstance(wide, int) and isinstance(step, int) and step > 0:
        count = known_size(lift(lambda n: 1 + (n - wide) // step, held.shape[-1]))
    return held.with_(shape=(*held.shape[:-1], count, known_size(wide)))
