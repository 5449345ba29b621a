"""Configurations of TimeDistributed around layers of each kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec, Sub

INNER = (
    ("Dense", {"units": 3}, 1), ("Dense", {"units": 2}, 2), ("Conv2D", {"filters": 2, "kernel_size": 3}, 3),
    ("Conv1D", {"filters": 2, "kernel_size": 2, "padding": "same"}, 2), ("MaxPooling2D", {"pool_size": 2}, 3),
    ("Flatten", {}, 2), ("Flatten", {}, 3), ("GlobalAveragePooling2D", {}, 3), ("BatchNormalization", {}, 3),
    ("Embedding", {"input_dim": 9, "output_dim": 4}, 1), ("LSTM", {"units": 2}, 2), ("Dropout", {"rate": 0.5}, 1),
    ("LSTM", {"units": 2, "return_sequences": True}, 2), ("Reshape", {"target_shape": (-1, 1)}, 1),
    ("RepeatVector", {"n": 2}, 1), ("SeparableConv2D", {"filters": 2, "kernel_size": 2}, 3),
    ("DepthwiseConv2D", {"kernel_size": 2}, 3), ("GRU", {"units": 2}, 2),
    ("Conv3D", {"filters": 1, "kernel_size": 1}, 4),
    ("Conv2DTranspose", {"filters": 2, "kernel_size": 2}, 3), ("LayerNormalization", {}, 2),
    ("Activation", {"activation": "relu"}, 1),
)


@st.composite
def steps(draw: Any) -> Case:
    """The wrapped layer gets the rank it needs; seldom one axis more or fewer, or an unknown extent."""
    name, given, axes = draw(st.sampled_from(INNER))
    odd = draw(st.sampled_from([None] * 6 + ["rank", "axis"]))
    count = max(axes + (draw(st.sampled_from([-1, 1])) if odd == "rank" else 0), 0)
    rest = [draw(st.integers(1, 5)) for _ in range(count)]
    if odd == "axis" and rest:
        rest[draw(st.integers(0, count - 1))] = None  # type: ignore[call-overload]
    shape = (draw(st.sampled_from([None, None, 2])), draw(st.sampled_from([None, 3])), *rest)
    spec = Spec(shape, "int32" if name == "Embedding" else "float32")
    return Case({"layer": Sub(f"keras.layers.{name}", given)}, spec, unknown=odd == "rank")


CONFIGS = {"keras.layers.TimeDistributed": steps()}
