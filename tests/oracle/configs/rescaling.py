"""Configurations of Rescaling and Normalization."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.shapes import tensors
from tests.oracle.strategies import POLICIES


@st.composite
def rescaling(draw: Any) -> Case:
    inputs = draw(tensors(least=1))
    listed = inputs.shape[-1] and draw(st.sampled_from([False] * 3 + [True]))
    sizes = st.sampled_from([inputs.shape[-1]] * 3 + [1, 4])
    scale = [0.5] * draw(sizes) if listed else draw(st.sampled_from([1 / 255, 2]))
    return Case({"scale": scale, **draw(st.sampled_from([{}, {"offset": -1.0}]))}, inputs, policy=draw(POLICIES),
                unknown=bool(listed))


@st.composite
def normalization(draw: Any) -> Case:
    inputs = draw(tensors(least=1))
    rank = len(inputs.shape)
    axis = draw(st.sampled_from([-1, -1, -1, rank - 1, 1, None, rank, (rank - 1,), list(range(1, rank))]))
    kwargs: dict[str, Any] = {} if axis == -1 else {"axis": axis}
    given = draw(st.sampled_from(["no", "no", "one", "many", "half"]))
    if given == "one":
        kwargs |= {"mean": 1.0, "variance": 2.0}
    elif given == "half":
        kwargs |= draw(st.sampled_from([{"mean": 1.0}, {"variance": 2.0}]))
    elif given == "many" and axis == -1 and inputs.shape[-1]:
        count = inputs.shape[-1] + draw(st.sampled_from([0, 0, 2]))
        kwargs |= {"mean": [1.0] * count, "variance": [2.0] * count}
    return Case(kwargs, inputs, policy=draw(POLICIES))


CONFIGS = {"keras.layers.Rescaling": rescaling(), "keras.layers.Normalization": normalization()}
