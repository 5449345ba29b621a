"""Configurations of plain convolutions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.strategies import FORMATS, POLICIES, arguments, bad_extents, extents, shape

CAUSAL = st.sampled_from(["valid", "same", "causal", "SAME"])
PADDINGS = st.sampled_from(["valid", "same", "SAME"])


@st.composite
def conv(draw: Any, rank: int) -> Case:
    divisor = draw(st.sampled_from([1, 1, 1, 2, 3]))
    moves = draw(st.sampled_from(["strides", "dilation_rate"]))
    kwargs = draw(arguments(
        {"filters": st.sampled_from([divisor, 2 * divisor]), "kernel_size": extents(rank, st.integers(1, 4))},
        {moves: extents(rank, st.integers(1, 3)), "padding": CAUSAL if rank == 1 else PADDINGS,
         "data_format": FORMATS, "use_bias": st.booleans(), "groups": st.just(divisor)},
        {"filters": st.sampled_from([-1, 0, 1, 2, 4.0]), "kernel_size": bad_extents(rank), "strides": bad_extents(rank),
         "dilation_rate": st.one_of(bad_extents(rank), st.just(2)), "groups": st.sampled_from([-1, 0, 2, 3]),
         "padding": st.sampled_from(["causal", "full", 0, (1, 1), None]), "data_format": st.just("NHWC")}))
    channels = st.sampled_from([divisor, 2 * divisor, divisor, 5])
    case = Case(kwargs, shape(draw, rank, kwargs.get("data_format"), channels), policy=draw(POLICIES))
    lora = draw(st.sampled_from([0] * 9 + [2]))
    return replace(case, kwargs={**kwargs, "lora_rank": lora}, only="keras") if lora else case


CONFIGS = {"keras.layers.Conv1D": conv(1), "keras.layers.Conv2D": conv(2), "keras.layers.Conv3D": conv(3)}
