"""Configurations of spectrograms, pipelines and random features."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec, Sub
from tests.oracle.shapes import tensors
from tests.oracle.strategies import POLICIES, arguments


@st.composite
def stft(draw: Any) -> Case:
    kwargs = draw(arguments(
        {"frame_length": st.integers(2, 9), "window": st.none()},  # a named window needs scipy
        {"mode": st.sampled_from(["log", "stft", "real", "imag"]), "padding": st.sampled_from(["valid", "same"]),
         "expand_dims": st.booleans(), "data_format": st.sampled_from(["channels_last", "channels_first"]),
         "frame_step": st.integers(1, 2), "fft_length": st.sampled_from([16, 32])},
        {"mode": st.just("?"), "frame_step": st.sampled_from([0, 20]), "fft_length": st.just(1)}))
    shape = draw(st.sampled_from([(None, 20, 2), (2, 33, 1), (None, None, 3), (None, 5, 4), (None, 20)]))
    return Case(kwargs, Spec(shape), unknown=None in shape[1:])


@st.composite
def mel(draw: Any) -> Case:
    kwargs = draw(arguments({}, {"sequence_stride": st.sampled_from([128, 100]), "num_mel_bins": st.integers(2, 9),
                                 "fft_length": st.just(512)}, {"sequence_length": st.just(5000)}))
    time = draw(st.sampled_from([16000, 1000, 1023, None, 4096]))
    return Case(kwargs, Spec(draw(st.sampled_from([(None, time), (2, time), (time,)]))), policy=draw(POLICIES),
                unknown=time is not None and (time + 1) % kwargs.get("sequence_stride", 512) == 0)


PIPELINES = st.lists(st.sampled_from([
    Sub("keras.layers.Rescaling", {"scale": 0.5}), Sub("keras.layers.Resizing", {"height": 4, "width": 5}),
    Sub("keras.layers.RandomFlip"), Sub("keras.layers.Normalization", {"mean": 0.0, "variance": 1.0})]),
    min_size=1, max_size=3)

CONFIGS = {
    "keras.layers.STFTSpectrogram": stft(),
    "keras.layers.MelSpectrogram": mel(),
    "keras.layers.Pipeline": st.builds(Case, st.fixed_dictionaries({"layers": PIPELINES}), st.sampled_from(
        [Spec((None, 8, 8, 3)), Spec((2, 9, 7, 1))])),
    "keras.layers.experimental.RandomFourierFeatures": st.builds(
        Case, arguments({"output_dim": st.integers(1, 5)}, {"scale": st.just(2.0), "trainable": st.booleans()},
                        {"output_dim": st.just(0), "scale": st.just(0.0)}), tensors(dtypes=("float32",))),
}
