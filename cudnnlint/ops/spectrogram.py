"""Sound into spectrograms: MelSpectrogram and STFTSpectrogram."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from cudnnlint.ops.arguments import check_data_format, check_padding
from cudnnlint.ops.arith import as_dim, is_known, lift, rank_mismatch, window
from cudnnlint.ops.elementwise import computed, one_of
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.ops.windows import window_error
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Stack, Symbol, Tensor, Unknown, Where

MODES = ("log", "magnitude", "psd", "real", "imag", "angle", "stft")


@record(frozen=True, slots=True)
class MelSpectrogram(SingleInput):
    """(T,) -> (num_mel_bins, frames), (N, T) -> (N, num_mel_bins, frames).

    frames = (T + stride + 1) // stride (keras/src/layers/preprocessing/mel_spectrogram.py: compute_output_shape),
    one more than it computes when T + 1 is a multiple of the stride.
    """

    fft_length: Any
    stride: Any
    sequence_length: Any
    bins: Dim

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if is_known(self.fft_length) and is_known(self.sequence_length) and self.sequence_length > self.fft_length:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"fft_length {self.fft_length} is less than sequence_length "
                                                     f"{self.sequence_length}", argument="sequence_length",
                           where=Where(keras=">=3.14"),
                           error='ValueError "`fft_length` must be greater than or equal to `sequence_length`"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if isinstance(x.shape, Unknown):
            return x.with_(dtype=call.policy.compute)
        if len(x.shape) not in (1, 2):
            return Unknown(f"MelSpectrogram of {len(x.shape)} axes")
        bins: Dim = self.bins if isinstance(self.bins, int) and self.bins >= 0 else Unknown("num_mel_bins")
        return x.with_(shape=(*x.shape[:-1], bins, self._frames(x.shape[-1])), dtype=call.policy.compute)

    def _frames(self, time: Dim) -> Dim:
        if not is_known(self.stride) or self.stride <= 0:
            return Unknown("sequence_stride")
        if isinstance(time, int) and (time + 1) % self.stride == 0:
            return Unknown("Keras 3 traces one frame more than it computes")
        return lift(lambda size: (size + self.stride + 1) // self.stride, time)


@record(frozen=True, slots=True)
class STFTSpectrogram(SingleInput):
    """(N, T, C) -> (N, frames, C * bins), or (N, frames, bins, C) with expand_dims; channels_first likewise.

    bins = fft_length // 2 + 1 (keras/src/layers/preprocessing/stft_spectrogram.py: compute_output_shape)
    """

    mode: Any
    frame_length: Any
    frame_step: Any
    fft_length: Any
    padding: Any
    expand_dims: Any
    data_format: Any

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        yield from one_of("mode", self.mode, *MODES)
        yield from check_padding(self.padding, "valid", "same")
        yield from check_data_format(self.data_format)
        step, length, fft = self.frame_step, self.frame_length, self.fft_length
        if is_known(step) and is_known(length) and not 1 <= step <= length:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"frame_step {step} is not between 1 and frame_length {length}",
                           argument="frame_step", help="frames must not leave gaps",
                           error='ValueError "`frame_step` should be a positive integer not greater than '
                                 '`frame_length`"')
        if is_known(fft) and is_known(length) and fft < length:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"fft_length {fft} is less than frame_length {length}",
                           argument="fft_length", error='ValueError "`fft_length` should be not less than '
                                                        '`frame_length`"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := rank_mismatch(x, 3, "STFTSpectrogram"):
            return wrong
        dtype, bins = computed(x, call), self._bins()
        if isinstance(x.shape, Unknown) or not isinstance(self.data_format, str | None) or not isinstance(
                self.expand_dims, bool) or not isinstance(self.mode, str):
            return x.with_(shape=(Unknown("argument"),) * 3 if self.expand_dims is False else Unknown("argument"),
                           dtype=dtype)
        first = self.data_format == "channels_first"
        channels, time = (x.shape[1], x.shape[2]) if first else (x.shape[2], x.shape[1])
        if isinstance(channels, Symbol):
            return Unknown("channels are None")
        frames = window(time, as_dim(self.frame_length), self._step(), self.padding)
        columns = lift(lambda a, b: a * b * (2 if self.mode == "stft" else 1), bins,
                       1 if self.expand_dims else channels)
        if self.expand_dims:
            rest = (channels, frames, columns) if first else (frames, columns, channels)
        else:
            rest = (columns, frames) if first else (frames, columns)  # type: ignore[assignment]
        out = x.with_(shape=(x.shape[0], *rest), dtype=dtype)
        if isinstance(frames, int) and frames <= 0:
            passes = frames == 0 and call.stack.keras < (3, 14)
            return Mismatch(Problem.EMPTY_DIM, f"length {time} -> {frames} with frame_length {self.frame_length}, "
                                               f"padding \"{self.padding}\"", argument="frame_length",
                            help=f"a frame_length of at most {time}, or padding=\"same\"",
                            error=window_error(call.stack, (frames,), (3, 14)), otherwise=out if passes else None)
        return out

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        if not isinstance(self.mode, str):
            return Unknown("mode")
        shape = (as_dim(self.frame_length), 1, self._bins())
        return tuple(Weight(name, shape) for name, without in (("real_kernel", "imag"), ("imag_kernel", "real"))
                     if self.mode != without)

    def _step(self) -> Dim:
        if self.frame_step is not None:
            return as_dim(self.frame_step)
        return lift(lambda length: length // 2, as_dim(self.frame_length))

    def _bins(self) -> Dim:
        length = self.frame_length
        if self.fft_length is not None and self.fft_length != 0:
            return lift(lambda size: size // 2 + 1, as_dim(self.fft_length))
        if not is_known(length) or length <= 0:
            return Unknown("frame_length")
        return int(2 ** math.ceil(math.log2(length))) // 2 + 1


@layer("keras.layers.MelSpectrogram", versions={"": ">=3.1"})
def mel_spectrogram(fft_length: Any = 2048, sequence_stride: Any = 512, sequence_length: Any = None,
                    window: Any = "hann", sampling_rate: Any = 16000, num_mel_bins: Any = 128, min_freq: Any = 20.0,
                    max_freq: Any = None, power_to_db: Any = True, top_db: Any = 80.0, mag_exp: Any = 2.0,
                    min_power: Any = 1e-10, ref_power: Any = 1.0) -> MelSpectrogram:
    return MelSpectrogram(fft_length, sequence_stride, sequence_length,
                          as_dim(num_mel_bins) if num_mel_bins is not None else Unknown("None"))


@layer("keras.layers.STFTSpectrogram", versions={"": ">=3.7"})
def stft_spectrogram(mode: Any = "log", frame_length: Any = 256, frame_step: Any = None, fft_length: Any = None,
                     window: Any = "hann", periodic: Any = False, scaling: Any = "density", padding: Any = "valid",
                     expand_dims: Any = False, data_format: Any = None) -> STFTSpectrogram:
    return STFTSpectrogram(mode, frame_length, frame_step, fft_length, padding, expand_dims, data_format)
