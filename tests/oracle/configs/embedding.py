"""Configurations of the look-up tables."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.shapes import tensors
from tests.oracle.strategies import POLICIES, arguments

SIZES = st.integers(1, 6)
ODD = st.sampled_from([0, -1])


@st.composite
def embedding(draw: Any) -> Case:
    inputs = draw(tensors(dtypes=("int32", "int64", "float32", "uint8", "float64")))
    optional: dict[str, Any] = {"mask_zero": st.booleans()}
    if len(inputs.shape) == 2:
        optional["input_length"] = st.sampled_from([inputs.shape[1], 3])
    kwargs = draw(arguments({"input_dim": SIZES, "output_dim": SIZES}, optional, {"input_dim": ODD, "output_dim": ODD}))
    return Case(kwargs, inputs, policy=draw(POLICIES))


@st.composite
def adapted(draw: Any) -> Case:
    return Case({"input_dim": draw(SIZES), "output_dim": draw(SIZES), "lora_rank": draw(SIZES)},
                draw(tensors(dtypes=("int32",))), only="keras")


@st.composite
def reversible(draw: Any) -> Case:
    reverse = draw(st.booleans())
    width = draw(SIZES)
    inputs = (None, 5, width) if reverse else draw(tensors(dtypes=("int32", "float32")))
    kwargs = draw(arguments({"input_dim": SIZES, "output_dim": st.just(width)}, {"tie_weights": st.booleans()},
                            {"input_dim": ODD}))
    return Case(kwargs, inputs, call={"reverse": True} if reverse else {}, policy=draw(POLICIES))


CONFIGS = {
    "keras.layers.Embedding": st.one_of(embedding(), embedding(), adapted()),
    "keras.layers.ReversibleEmbedding": reversible(),
}
