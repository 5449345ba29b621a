"""Configurations of depthwise and separable convolutions."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.strategies import FORMATS, POLICIES, arguments, bad_extents, extents, shape


@st.composite
def depthwise(draw: Any, rank: int, separable: bool = False) -> Case:
    moves = draw(st.sampled_from([["strides"], ["dilation_rate"], ["strides", "dilation_rate"]]))
    filters = {"filters": st.integers(1, 4)} if separable else {}
    kwargs = draw(arguments(
        {**filters, "kernel_size": extents(rank, st.integers(1, 4))},
        {**{move: st.one_of(st.integers(1, 3), extents(rank, st.integers(1, 3))) for move in moves},
         "padding": st.sampled_from(["valid", "same", "SAME"]), "data_format": FORMATS, "use_bias": st.booleans(),
         "depth_multiplier": st.integers(1, 3)},
        {**{key: st.integers(-1, 1) for key in filters}, "kernel_size": bad_extents(rank), "strides": bad_extents(rank),
         "dilation_rate": bad_extents(rank), "data_format": st.just("NHWC"), "depth_multiplier": st.integers(-1, 1),
         "padding": st.sampled_from(["causal", "full", 0, (1, 1), None])}))
    inputs = shape(draw, rank, kwargs.get("data_format"))
    # Keras 2 forgets every extent when it dilates an input with a free one
    return Case(kwargs, inputs, policy=draw(POLICIES), sharper="dilation_rate" in kwargs and None in inputs.shape[1:])


CONFIGS = {
    "keras.layers.DepthwiseConv1D": depthwise(1), "keras.layers.DepthwiseConv2D": depthwise(2),
    "keras.layers.SeparableConv1D": depthwise(1, True), "keras.layers.SeparableConv2D": depthwise(2, True),
}
