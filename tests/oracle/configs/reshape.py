"""Configurations of the layers that rearrange a sample."""

from __future__ import annotations

from math import prod
from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.shapes import tensors
from tests.oracle.strategies import FORMATS, POLICIES, arguments


@st.composite
def reshape(draw: Any) -> Case:
    inputs = draw(tensors(least=1))
    known = [size or 2 for size in inputs.shape[1:]]
    parts = draw(st.sampled_from([(prod(known),), tuple(known), tuple(reversed(known)), (1, *known), (*known, 2),
                                  (2, 3), (3, 4), (7,), ()]))
    hole = draw(st.sampled_from([None, None, 0, -1]))
    if hole is not None and parts:
        parts = tuple(-1 if at == hole % len(parts) else size for at, size in enumerate(parts))
    return Case({"target_shape": draw(st.sampled_from([parts, list(parts)]))}, inputs, policy=draw(POLICIES))


@st.composite
def permute(draw: Any) -> Case:
    inputs = draw(tensors(least=1))
    rank = max(1, len(inputs.shape) - 1 + draw(st.sampled_from([0] * 8 + [-1, 1])))
    dims = draw(st.permutations(range(1, rank + 1)))
    if draw(st.sampled_from([False] * 8 + [True])):
        dims[0] = draw(st.integers(-1, rank + 1))
    return Case({"dims": tuple(dims)}, inputs)


CONFIGS = {
    "keras.layers.Flatten": st.builds(Case, arguments({}, {"data_format": FORMATS}, {"data_format": st.just("NCHW")}),
                                      tensors(), policy=POLICIES),
    "keras.layers.Reshape": st.one_of(
        reshape(), st.just(Case({"target_shape": (-1, -1)}, (None, 4))),
        st.just(Case({"target_shape": (-1, None)}, (None, 4), only="keras")),
        st.just(Case({"target_shape": (-2,)}, (None, 4), only="keras"))),
    "keras.layers.Permute": permute(),
    "keras.layers.RepeatVector": st.builds(
        Case, arguments({"n": st.integers(1, 4)}, {}, {"n": st.sampled_from([1.0, "2"])}),
        st.one_of(tensors(least=2, most=2), tensors(least=1, most=3)), policy=POLICIES),
}
