"""Configurations of MultiHeadAttention and GroupQueryAttention."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec
from tests.oracle.strategies import POLICIES, arguments

FLAG = st.booleans()
COUNT = st.integers(1, 3)
SIZE = st.integers(1, 5)


@st.composite
def operands(draw: Any, axes: int, same_length: bool, kept: int | None = None) -> dict[str, Spec]:
    """query, value and perhaps key that fit, or with one extent changed, or the query of another rank."""
    batch = draw(st.sampled_from([None, 2]))
    steps = [draw(st.sampled_from([None, 1, 3])) for _ in range(axes)]
    others = steps if same_length else [draw(st.sampled_from([None, 1, 4])) for _ in range(axes)]
    if kept is not None:
        others[kept] = steps[kept]
    width = draw(SIZE)
    parts = {"query": [batch, *steps, width], "value": [batch, *others, draw(st.sampled_from([width, width, 4]))]}
    if draw(FLAG):
        parts["key"] = [*parts["value"][:-1], draw(SIZE)]
    if draw(st.sampled_from([False] * 4 + [True])):
        part = parts[draw(st.sampled_from(sorted(parts)))]
        part[draw(st.integers(0 if batch else 1, axes + 1))] = draw(st.sampled_from([None, 2, 5]))
    if draw(st.sampled_from([False] * 9 + [True])):
        parts["query"].insert(1, draw(st.sampled_from([1, 3])))
    dtype = draw(st.sampled_from(["float32"] * 12 + ["int32", "float16"]))
    return {name: Spec(tuple(part), dtype) for name, part in parts.items()}


@st.composite
def multi_head(draw: Any) -> Case:
    kwargs = draw(arguments({"num_heads": COUNT, "key_dim": COUNT}, {
        "value_dim": st.integers(1, 4), "use_bias": FLAG, "dropout": st.sampled_from([0.0, 0.1]),
        "output_shape": st.sampled_from([3, (3,), [2, 3]])},
        {"num_heads": st.sampled_from([-1, 0]), "key_dim": st.sampled_from([-1, 0]), "value_dim": st.just(-1)}))
    axes = draw(st.sampled_from([1, 1, 1, 1, 2, 0]))
    scores = draw(st.sampled_from([False, False, True]))
    only, kept = None, None
    if axes == 2 and draw(FLAG):
        kwargs["attention_axes"] = draw(st.sampled_from([1, 2, (1, 2), (2,)]))
        kept = {1: 1, 2: 0, (2,): 0}.get(kwargs["attention_axes"])
    elif draw(st.sampled_from([False] * 5 + [True])):
        kwargs["use_gate"], only = True, "keras"
    parts = draw(operands(axes, scores and draw(FLAG), kept))
    inputs = parts.pop("query")
    call: dict[str, Any] = dict(parts)
    if draw(st.sampled_from([False] * 15 + [True])):
        call.pop("value")
    if scores:
        call["return_attention_scores"] = True
    return Case(kwargs, inputs, call, draw(POLICIES), unknown=scores, only=only)


@st.composite
def grouped(draw: Any) -> Case:
    few = draw(st.integers(1, 2))
    kwargs = draw(arguments({"head_dim": COUNT, "num_query_heads": st.just(few * draw(COUNT)),
                             "num_key_value_heads": st.just(few)}, {"use_bias": FLAG, "use_gate": FLAG},
                            {"num_query_heads": st.integers(1, 5), "head_dim": st.just(0)}))
    parts = draw(operands(draw(st.sampled_from([1, 1, 1, 1, 1, 2, 0])), draw(FLAG)))
    inputs = parts.pop("query")
    call: dict[str, Any] = dict(parts)
    if draw(FLAG):
        call["return_attention_scores"] = True
    return Case(kwargs, inputs, call, draw(POLICIES), unknown=len(inputs.shape) != 3)


CONFIGS = {"keras.layers.MultiHeadAttention": multi_head(), "keras.layers.GroupQueryAttention": grouped()}
