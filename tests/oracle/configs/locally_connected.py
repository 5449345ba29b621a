"""Configurations of the locally connected layers."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.strategies import arguments, bad_extents, extents, shape


@st.composite
def local(draw: Any, rank: int) -> Case:
    implementation = draw(st.sampled_from([1, 1, 2]))
    paddings = st.sampled_from(["valid", "same"] if implementation == 2 else ["valid"])
    kwargs = draw(arguments(
        {"filters": st.integers(1, 3), "kernel_size": extents(rank, st.integers(1, 4))},
        {"strides": extents(rank, st.integers(1, 2)), "use_bias": st.booleans(), "padding": paddings,
         "data_format": st.sampled_from(["channels_last", "channels_first"])},
        {"kernel_size": bad_extents(rank), "padding": st.sampled_from(["same", "causal"])}))
    return Case({**kwargs, "implementation": implementation}, shape(draw, rank, kwargs.get("data_format")))


CONFIGS = {"keras.layers.LocallyConnected1D": local(1), "keras.layers.LocallyConnected2D": local(2)}
