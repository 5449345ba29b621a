"""Configurations of ConvLSTM1D, ConvLSTM2D and ConvLSTM3D."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec
from tests.oracle.strategies import FORMATS, POLICIES, arguments, bad_extents, extents, shape

FLAG = st.booleans()


@st.composite
def conv_lstm(draw: Any, rank: int) -> Case:
    kwargs = draw(arguments(
        {"filters": st.integers(1, 3), "kernel_size": extents(rank, st.integers(1, 4))},
        {"strides": extents(rank, st.integers(1, 2)), "padding": st.sampled_from(["valid", "same", "SAME"]),
         "data_format": FORMATS, "use_bias": FLAG, "return_sequences": FLAG, "return_state": FLAG,
         "go_backwards": FLAG},
        {"filters": st.just(-1), "kernel_size": bad_extents(rank), "strides": bad_extents(rank),
         "dilation_rate": extents(rank, st.integers(1, 2)), "padding": st.sampled_from(["causal", "full", None]),
         "data_format": st.just("channels"), "stateful": st.just(True)}))
    frame = shape(draw, rank, kwargs.get("data_format"))
    time = draw(st.sampled_from([None, 1, 3]))
    if "dilation_rate" in kwargs and None in frame.shape[1:]:  # then Keras 2 knows no extent until it runs
        frame = Spec((frame.shape[0], *(size or 4 for size in frame.shape[1:])), frame.dtype)
    policy = None if kwargs.get("stateful") else draw(POLICIES)  # Keras 2 keeps its states in float32
    return Case(kwargs, Spec((frame.shape[0], time, *frame.shape[1:]), frame.dtype), policy=policy)


CONFIGS = {f"keras.layers.ConvLSTM{rank}D": conv_lstm(rank) for rank in (1, 2, 3)}
