"""Configurations of Attention and AdditiveAttention."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from cudnnlint.values import Where
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
    return Case(kwargs, inputs, call, draw(POLICIES), unknown=traced_otherwise(inputs, call))


def traced_otherwise(inputs: Any, call: dict[str, Any]) -> Where | bool:
    """Where Keras traces another shape than it computes, so that we say Unknown."""
    if not isinstance(inputs, list) or len(inputs) not in (2, 3):
        return False
    clauses = [">=3,<3.1.1"] if inputs[1].shape[-1] != inputs[0].shape[-1] else []
    if call and len(inputs[0].shape) != 3:
        clauses.append(">=3.8,<3.15")
    return Where(keras="|".join(clauses)) if clauses else False


CONFIGS = {
    "keras.layers.Attention": attention({"use_scale": FLAG, "score_mode": st.sampled_from(["dot", "concat"])}),
    "keras.layers.AdditiveAttention": attention({"use_scale": FLAG}),
}
