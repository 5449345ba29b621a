"""Configurations of transposed convolutions."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.strategies import FORMATS, POLICIES, arguments, bad_extents, extents, shape

PADDINGS = st.sampled_from(["valid", "same", "SAME"])


@st.composite
def transpose(draw: Any, rank: int) -> Case:
    moves = draw(st.sampled_from(["strides", "dilation_rate"]))
    kwargs = draw(arguments(
        {"filters": st.integers(1, 4), "kernel_size": extents(rank, st.integers(1, 4))},
        {moves: extents(rank, st.integers(1, 3)), "padding": PADDINGS, "data_format": FORMATS,
         "use_bias": st.booleans()},
        {"filters": st.sampled_from([-1, 0, 1, 4.0]), "kernel_size": bad_extents(rank), "strides": bad_extents(rank),
         "dilation_rate": st.one_of(bad_extents(rank), st.just(2)), "data_format": st.just("NHWC"),
         "output_padding": extents(rank, st.integers(-1, 3)),
         "padding": st.sampled_from(["causal", "full", 0, None])}))
    if moves == "strides" and draw(st.booleans()):
        strides = kwargs.get("strides")
        largest = strides - 1 if isinstance(strides, int) and strides > 1 else 0
        kwargs.setdefault("output_padding", draw(extents(rank, st.integers(0, largest))))
    return Case(kwargs, shape(draw, rank, kwargs.get("data_format")), policy=draw(POLICIES))


CONFIGS = {f"keras.layers.Conv{rank}DTranspose": transpose(rank) for rank in (1, 2, 3)}
