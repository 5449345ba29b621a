"""Configurations of pooling: over windows, global, adaptive."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.strategies import FORMATS, POLICIES, arguments, bad_extents, extents, shape


@st.composite
def pooling(draw: Any, rank: int, average: bool) -> Case:
    sizes = extents(rank, st.integers(1, 4))
    kwargs = draw(arguments(
        {"pool_size": sizes} if average else {},
        {**({} if average else {"pool_size": sizes}), "data_format": FORMATS,
         "strides": st.one_of(st.none(), extents(rank, st.integers(1, 3))),
         "padding": st.sampled_from(["valid", "same"])},
        {"pool_size": bad_extents(rank).filter(lambda size: size is not None), "data_format": st.just("NHWC"),
         "strides": bad_extents(rank), "padding": st.sampled_from(["causal", "full", 0, None, "SAME", "Valid"])}))
    if average and draw(st.sampled_from([False] * 19 + [True])):
        del kwargs["pool_size"]  # required by Keras 3 only
    return Case(kwargs, shape(draw, rank, kwargs.get("data_format")), policy=draw(POLICIES))


@st.composite
def globally(draw: Any, rank: int) -> Case:
    kwargs = draw(arguments({}, {"data_format": FORMATS, "keepdims": st.booleans()}, {"data_format": st.just("NHWC")}))
    return Case(kwargs, shape(draw, rank, kwargs.get("data_format")), policy=draw(POLICIES))


@st.composite
def adaptive(draw: Any, rank: int) -> Case:
    kwargs = draw(arguments({"output_size": extents(rank, st.integers(1, 4))},
                            {"data_format": st.sampled_from([None, "channels_last", "channels_first"])},
                            {"output_size": st.sampled_from([None, "2", (1,) * (rank + 1)]),
                             "data_format": st.just("NHWC")}))
    inputs = shape(draw, rank, kwargs.get("data_format"))
    return Case(kwargs, inputs, policy=draw(POLICIES), unknown=len(inputs.shape) != rank + 2)


CONFIGS = {
    **{f"keras.layers.MaxPooling{rank}D": pooling(rank, False) for rank in (1, 2, 3)},
    **{f"keras.layers.AveragePooling{rank}D": pooling(rank, True) for rank in (1, 2, 3)},
    **{f"keras.layers.Global{kind}Pooling{rank}D": globally(rank) for kind in ("Max", "Average") for rank in (1, 2, 3)},
    **{f"keras.layers.Adaptive{kind}Pooling{rank}D": adaptive(rank) for kind in ("Max", "Average")
       for rank in (1, 2, 3)},
}
