"""Configurations of the layers that make categories of numbers and strings."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from cudnnlint.values import Where
from tests.oracle.harness import Case, Spec
from tests.oracle.strategies import arguments

SHAPES = st.sampled_from([(None, 1), (None, 1), (None, 4), (None,), (2, 3), (None, None), (None, 4, 3), (2,)])
MODES = st.sampled_from(["int", "one_hot", "multi_hot", "count"])
DEPTHS = st.integers(1, 6)
WORDS = st.sampled_from([["a"], ["a", "b", "c"], ["[UNK]", "a"]])
NUMBERS = st.sampled_from([[3], [3, 4, 5], [-1, 3]])


def case(name: str, kwargs: dict[str, Any], shape: tuple[int | None, ...], dtype: str) -> Case:
    """Keras 3 traces another shape than it computes for some encodings: there we say Unknown."""
    mode = kwargs.get("output_mode", "int")
    encodes = mode not in ("int", "?")
    differs = encodes and (len(shape) > 2 or (mode == "one_hot" and shape[-1] != 1))
    older = {"Discretization": ">=3,<3.14" if encodes else "",
             "Lookup": ">=3,<3.14" if encodes and mode != "one_hot" and len(shape) == 1 else "",
             "CategoryEncoding": ">=3,<3.4" if mode == "one_hot" else ""}.get(name)
    return Case(kwargs, Spec(shape, dtype), unknown=differs or (Where(keras=older) if older else False))


@st.composite
def encoder(draw: Any, name: str, required: Any, odd: Any, modes: Any = MODES, dtype: str = "int64") -> Case:
    kwargs = draw(arguments(required, {"output_mode": modes}, odd))
    kwargs.setdefault("output_mode", draw(modes))
    return case(name, kwargs, draw(SHAPES), dtype)


@st.composite
def lookup(draw: Any, words: Any, dtype: str, mask: Any) -> Case:
    kwargs = draw(arguments({"vocabulary": words}, {"output_mode": MODES, "num_oov_indices": st.integers(0, 2)},
                            {"max_tokens": st.just(1), "vocabulary": words.map(lambda some: [*some, some[-1]]),
                             "output_mode": st.just("?")}))
    if draw(st.booleans()):
        kwargs["mask_token"] = mask
    return case("Lookup", kwargs, draw(SHAPES), dtype)


@st.composite
def text(draw: Any) -> Case:
    kwargs = draw(arguments({"vocabulary": st.just(["a", "b"])}, {
        "output_mode": st.sampled_from(["int", "multi_hot", "count"]), "max_tokens": st.just(9),
        "pad_to_max_tokens": st.booleans(), "split": st.sampled_from(["whitespace", "character"])}, {}))
    if kwargs.get("output_mode", "int") == "int":
        kwargs |= draw(st.sampled_from([{}, {"output_sequence_length": 5}]))
        kwargs.pop("pad_to_max_tokens", None)
    shape = draw(st.sampled_from([(None,), (None, 1), (2, 1), (None, 4), (2,)]))
    differs = shape[-1] == 4 or (kwargs.get("output_mode", "int") != "int" and len(shape) == 2)
    return Case(kwargs, Spec(shape, "string"), unknown=differs, sharper=True)  # tf_keras loses the batch size


@st.composite
def crossing(draw: Any) -> Case:
    kwargs = draw(arguments({"num_bins": DEPTHS}, {"output_mode": st.sampled_from(["int", "one_hot"])}, {}))
    shape = draw(st.sampled_from([(None, 1), (None, 1), (None,), (2, 1), (None, 4)]))
    inputs = [Spec(shape, dtype) for dtype in draw(st.sampled_from([("int64", "int64"), ("string", "int64")]))]
    if draw(st.sampled_from([False] * 5 + [True])):
        inputs[1] = Spec((None, 2))
    return Case(kwargs, inputs[: draw(st.sampled_from([2] * 6 + [1]))], unknown=shape == (None, 4), sharper=True)


@st.composite
def inverted(draw: Any, words: Any) -> Case:
    mode = draw(st.sampled_from([{}, {}, {"output_mode": "count"}]))
    return Case({"vocabulary": draw(words), "invert": True, **mode}, Spec(draw(SHAPES), "int64"), unknown=True)


ODD = st.sampled_from([0, -1])

CONFIGS = {
    "keras.layers.Discretization": st.one_of(
        encoder("Discretization", {"bin_boundaries": st.just([0.0, 1.0])},
                {"output_mode": st.just("?"), "num_bins": st.sampled_from([2, 3])},
                dtype="float32"), st.just(Case({}, (None, 1), only="keras"))),
    "keras.layers.CategoryEncoding": st.one_of(
        encoder("CategoryEncoding", {"num_tokens": DEPTHS}, {"num_tokens": ODD, "output_mode": st.just("int")},
                st.sampled_from(["one_hot", "multi_hot", "count", "binary"])), st.just(Case({}, (None, 1)))),
    "keras.layers.Hashing": encoder("Hashing", {"num_bins": DEPTHS}, {"num_bins": ODD, "output_mode": st.just("?")}),
    "keras.layers.HashedCrossing": crossing(),
    "keras.layers.StringLookup": st.one_of(lookup(WORDS, "string", ""), lookup(WORDS, "string", ""), inverted(WORDS)),
    "keras.layers.IntegerLookup": st.one_of(lookup(NUMBERS, "int64", 0), inverted(NUMBERS), st.just(
        Case({"vocabulary": [1], "vocabulary_dtype": "int32"}, Spec((None, 1), "int32"), only="keras"))),
    "keras.layers.TextVectorization": text(),
}
