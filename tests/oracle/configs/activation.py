"""Configurations of the activation layers."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from cudnnlint.ops.activation_names import SINCE
from cudnnlint.values import Where
from cudnnlint.values.stack import EVERYWHERE
from tests.oracle.harness import Case
from tests.oracle.shapes import tensors
from tests.oracle.strategies import POLICIES, arguments

NUMBERS = st.sampled_from([0, 0.0, 0.1, 1, 6.0])
NAMES = [*sorted(set(SINCE) - {"glu"}), None]

NAMED = Where(keras=">=3.0.2")
"""Until then a name may be one of the user's custom objects, so that we refuse none."""


@st.composite
def activation(draw: Any) -> Case:
    name = draw(st.sampled_from(NAMES))
    newer = name not in ("elu", "exponential", "gelu", "hard_sigmoid", "linear", "mish", "relu", "selu", "sigmoid",
                         "softmax", "softplus", "softsign", "swish", "tanh", "leaky_relu", None)
    return Case({"activation": name}, draw(tensors()), policy=draw(POLICIES), only="keras" if newer else None,
                where=NAMED if newer else EVERYWHERE)


@st.composite
def plain(draw: Any, optional: Any, odd: Any = None) -> Case:
    inputs = draw(tensors())
    return Case(draw(arguments({}, optional, odd or {})), inputs, policy=draw(POLICIES),
                unknown=inputs.dtype in ("int32", "int64", "uint8", "bool"))


@st.composite
def softmax(draw: Any) -> Case:
    inputs = draw(tensors(least=2))
    rank = len(inputs.shape)
    axes = st.integers(-rank, rank - 1)
    axis = draw(st.one_of(axes, st.just([-1]), st.lists(st.integers(0, rank - 1), min_size=2, max_size=2, unique=True)))
    return Case({"axis": axis}, inputs, policy=draw(POLICIES))


@st.composite
def prelu(draw: Any) -> Case:
    inputs = draw(tensors(least=1))
    rank = len(inputs.shape)
    shared = draw(st.one_of(st.none(), st.just(list(range(1, rank)) or None), st.integers(1, rank + 1),
                            st.lists(st.integers(1, max(rank - 1, 1)), max_size=2)))
    return Case({} if shared is None else {"shared_axes": shared}, inputs, policy=draw(POLICIES))


ODD = st.sampled_from([-1, -0.5, None])

CONFIGS = {
    "keras.layers.Activation": st.one_of(
        activation(), st.just(Case({"activation": "rellu"}, (None, 4), only="keras", where=NAMED)),
        st.just(Case({"activation": "sigmoid"}, (4,)))),
    "keras.layers.ReLU": plain({"max_value": NUMBERS, "negative_slope": NUMBERS, "threshold": NUMBERS},
                               {"max_value": st.just(-1), "negative_slope": ODD, "threshold": ODD}),
    "keras.layers.LeakyReLU": st.one_of(plain({}), plain({"alpha": st.sampled_from([0.0, 0.2, 1])},
                                                         {"alpha": st.sampled_from([-1, None])})),
    "keras.layers.ELU": plain({"alpha": st.sampled_from([0.5, 1.0, 2])}, {"alpha": st.sampled_from([-1, None])}),
    "keras.layers.ThresholdedReLU": plain({"theta": NUMBERS}, {"theta": ODD}),
    "keras.layers.PReLU": prelu(),
    "keras.layers.Softmax": softmax(),
}
