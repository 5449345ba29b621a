"""Configurations of Attention and AdditiveAttention."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec
from tests.oracle.strategies import POLICIES, arguments

FLAG = st.booleans()
SIZE = st.integers(1, 4)


@st.composite
def operands(draw: Any) -> list[Spec]:
    """[query, value] or [query, value, key] that fit, or with one extent changed; seldom of other ranks or counts."""
    lead = [draw(st.sampled_from([None, 2])), *draw(st.sampled_from([[], [], [], [3]]))]
    if draw(st.sampled_from([False] * 9 + [True])):
        lead = lead[:-1]
    steps = draw(st.sampled_from([None, 1, 2, 5]))
    width = draw(SIZE)
    query = [*lead, draw(st.sampled_from([None, 1, 3])), width]
    key = [*lead, steps, width]
    value = [*lead, steps, draw(SIZE)] if draw(FLAG) else list(key)
    parts = [query, value, key] if value != key or draw(FLAG) else [query, value]
    if draw(st.sampled_from([False] * 4 + [True])):
        part = draw(st.sampled_from(parts))
        axis = draw(st.integers(0, len(part) - 1))
        part[axis] = draw(st.sampled_from([None, 1, 2, 3, 4, 5, 6]))
    if draw(st.sampled_from([False] * 12 + [True])):
        parts = draw(st.sampled_from([parts[:1], [*parts, query, query]]))
    dtype = draw(st.sampled_from(["float32"] * 12 + ["int32", "float16"]))
    return [Spec(tuple(part), dtype) for part in parts]


@st.composite
def attention(draw: Any, options: dict[str, Any]) -> Case:
    kwargs = draw(arguments({}, {"dropout": st.just(0.5), **options},
                            {"score_mode": st.just("sum")} if "score_mode" in options else {}))
    inputs: Any = draw(operands())
    if draw(st.sampled_from([False] * 20 + [True])):
        inputs = inputs[0]
    call = {"return_attention_scores": True} if draw(FLAG) else {}
    return Case(kwargs, inputs, call, draw(POLICIES))


CONFIGS = {
    "keras.layers.Attention": attention({"use_scale": FLAG, "score_mode": st.sampled_from(["dot", "concat"])}),
    "keras.layers.AdditiveAttention": attention({"use_scale": FLAG}),
}
