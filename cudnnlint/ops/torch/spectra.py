"""Transforms of signals in PyTorch: torch.fft, stft."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import lift
from cudnnlint.ops.functions._core import flag, number
from cudnnlint.ops.functions.dtypes import real_part
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch.shapes import axes_of
from cudnnlint.values import Dim, DType, Mismatch, Problem, Tensor, Unknown, Where

WIDE = {"float32": "complex64", "float64": "complex128", "complex64": "complex64", "complex128": "complex128"}
"""Others are cast, or refused, as the device has it (aten/src/ATen/native/SpectralOps.cpp: promote_type_fft)."""


def _complex(dtype: DType) -> DType:
    return WIDE.get(dtype, Unknown("dtype of a transform")) if isinstance(dtype, str) else dtype


def _transformed(x: Any, n: Any, dim: Any, *, half: bool = False, back: bool = False) -> Outcome:
    """`half`: of a real signal, n // 2 + 1 numbers; `back`: from such ones, 2 * (m - 1)."""
    if not isinstance(x, Tensor):
        return x if isinstance(x, Unknown) else Unknown("a signal")
    dtype = real_part(_complex(x.dtype)) if back else _complex(x.dtype)
    axes = axes_of(dim, x) if x.shape != () else Unknown("a scalar")
    if not isinstance(axes, tuple) or not axes or not isinstance(x.shape, tuple) or isinstance(n, (list, tuple)):
        return axes if isinstance(axes, Mismatch) else x.with_(shape=Unknown("a transform"), dtype=dtype)
    shape, at = list(x.shape), axes[-1]
    length: Dim = number(n) if n is not None else shape[at] if not back else lift(lambda m: 2 * (m - 1), shape[at])
    made = lift(lambda k: k // 2 + 1, length) if half else length
    shape[at] = Unknown("an empty transform") if isinstance(length, int) and length < 1 else made
    return x.with_(shape=tuple(shape), dtype=dtype)


@function("torch.fft.fft", "torch.fft.ifft")
def fft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Outcome:
    return _transformed(input, n, dim)


@function("torch.fft.rfft")
def rfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Outcome:
    return _transformed(input, n, dim, half=True)


@function("torch.fft.irfft")
def irfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Outcome:
    return _transformed(input, n, dim, back=True)


@function("torch.fft.fft2", "torch.fft.ifft2")
def fft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> Outcome:
    return _transformed(input, s, dim)


@function("torch.fft.rfft2")
def rfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> Outcome:
    """The last of the axes is halved."""
    return _transformed(input, s, dim, half=True)


@function("torch.fft.irfft2")
def irfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> Outcome:
    return _transformed(input, s, dim, back=True)


@function("torch.fft.fftshift", "torch.fft.ifftshift")
def shifted(input: Any, dim: Any = None) -> Outcome:
    return input.with_() if isinstance(input, Tensor) else Unknown("a signal")


@function("torch.stft")
def stft(input: Any, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any = True,
         pad_mode: Any = "reflect", normalized: Any = False, onesided: Any = None, return_complex: Any = None,
         align_to_window: Any = None) -> Outcome:
    """(L) or (B, L) -> (..., n_fft // 2 + 1, frames), complex; frames = 1 + (L + 2 * (n_fft // 2) - n_fft) // hop
    where `center` (aten/src/ATen/native/SpectralOps.cpp: stft)."""
    if not isinstance(input, Tensor):
        return Unknown("a signal")
    centred, size = flag(center), number(n_fft)
    step = number(hop_length) if hop_length is not None else lift(lambda n: n // 4, size)
    if return_complex is None and input.dtype in ("float32", "float64"):
        return Mismatch(Problem.MISSING_ARGUMENT, "torch.stft of real numbers misses return_complex",
                        argument="return_complex", where=Where(torch=">=2.0"), otherwise=Unknown("stft()"),
                        help="return_complex=True; abs() and view_as_real() make real numbers of what it gives",
                        error='RuntimeError "stft requires the return_complex parameter be given for real inputs"')
    if not isinstance(input.shape, tuple) or len(input.shape) not in (1, 2) or centred is None \
            or flag(return_complex) is not True or onesided not in (None, True):
        return Unknown("stft()")
    frames = lift(lambda length, n, hop: 1 + (length + (2 * (n // 2) if centred else 0) - n) // hop
                  if hop > 0 and n > 0 else 0, input.shape[-1], size, step)
    bins = lift(lambda n: n // 2 + 1, size)
    if isinstance(frames, int) and frames < 1:
        return Unknown("a signal shorter than a frame")
    if input.dtype not in ("float32", "float64"):
        return Unknown("stft() of complex numbers")
    return input.with_(shape=(*input.shape[:-1], bins, frames), dtype=_complex(input.dtype))
