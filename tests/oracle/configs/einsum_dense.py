"""Configurations of EinsumDense."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec
from tests.oracle.strategies import POLICIES

SIZES = st.integers(1, 5)
EQUATIONS = {  # equation -> (letters of the input after the batch, letters of output_shape)
    "ab,bc->ac": ("b", "c"), "abc,cd->abd": ("bc", "bd"), "abc,cde->abde": ("bc", "bde"),
    "abcd,cde->abe": ("bcd", "be"),
    "...x,xy->...y": ("x", "y"), "...xz,xzy->...y": ("xz", "y"), "ab...,bc->ac...": ("b", "c"), "aBTNH,NHD->aBTD":
    ("BTNH", "BTD"), "abc,bd->adc": ("bc", "dc"),
}


@st.composite
def einsum(draw: Any) -> Case:
    equation = draw(st.sampled_from(sorted(EQUATIONS)))
    source, target = EQUATIONS[equation]
    sizes = {letter: draw(SIZES) for letter in source + target}
    lead = [draw(SIZES) for _ in range(draw(st.integers(0, 2)))] if equation.startswith("...") else []
    tail = [draw(SIZES) for _ in range(draw(st.integers(0, 2)))] if "..." in equation[1:4] else []
    shape: list[Any] = [draw(st.sampled_from([None, 2])), *lead, *(sizes[letter] for letter in source), *tail]
    output: list[Any] = [sizes[letter] for letter in target]
    odd = draw(st.sampled_from([None] * 5 + ["free", "none", "rank", "output", "clash"]))
    if odd == "free":
        shape[draw(st.integers(1, len(shape) - 1))] = None
    elif odd == "none":
        output = [None if letter in source else sizes[letter] for letter in target]
    elif odd == "rank":
        shape.append(3)
    elif odd == "output":
        output.pop()
    elif odd == "clash":
        output[0] += 1
    kwargs: dict[str, Any] = {"equation": equation, "output_shape": tuple(output)}
    if draw(st.booleans()):
        kwargs["bias_axes"] = draw(st.sampled_from([target[-1], target[0], target, "q"]))
    only = "tf_keras" if odd == "rank" and "..." not in equation else None  # Keras 3 notices it when it runs
    return Case(kwargs, Spec(tuple(shape)), policy=draw(POLICIES), only=only, unknown=len(lead) > 1)


CONFIGS = {
    "keras.layers.EinsumDense": st.one_of(
        einsum(), einsum(), einsum(), st.sampled_from([
            Case({"equation": "ab bc ac", "output_shape": 4}, (None, 3)),
            Case({"equation": "ab,bc->ac", "output_shape": 4}, Spec((None, 3), "int32")),
            Case({"equation": "ab,bc->ad", "output_shape": 4}, (None, 3)),
            Case({"equation": "ab,bcd->ac", "output_shape": 4}, (None, 3)),
            Case({"equation": "ab,bc->ac", "output_shape": 4, "lora_rank": 2, "bias_axes": "c"}, (None, 3),
                 only="keras"),
        ])),
}
