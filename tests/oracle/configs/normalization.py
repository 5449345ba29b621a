"""Configurations of the normalisation layers."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Sub
from tests.oracle.shapes import tensors
from tests.oracle.strategies import POLICIES, arguments

EPSILONS = st.sampled_from([1e-3, 1e-5, 0.0])
SWITCHES = {"center": st.booleans(), "scale": st.booleans(), "epsilon": EPSILONS}


def axes(rank: int, *, several: bool = True) -> Any:
    """-1 most of the time, any axis, several, or one out of range."""
    within = st.integers(-rank, rank - 1)
    some = [st.lists(st.integers(1, rank - 1), min_size=1, max_size=rank)] if several and rank > 1 else []
    return st.one_of(st.just(-1), st.just(-1), within, *some, st.sampled_from([rank, -rank - 1]))


@st.composite
def batch(draw: Any, *, sync: bool = False) -> Case:
    inputs = draw(tensors(least=1))
    newest = {} if sync else {"renorm": st.booleans(), "synchronized": st.booleans()}
    kwargs = draw(arguments({}, {"axis": axes(len(inputs.shape)), **SWITCHES, **newest},
                            {"epsilon": st.sampled_from([-1e-5, -1])}))
    return Case(kwargs, inputs, policy=draw(POLICIES))


@st.composite
def fused(draw: Any) -> Case:
    inputs = draw(tensors(least=2, dtypes=("float32",)))
    kwargs = draw(st.fixed_dictionaries({"fused": st.booleans()}, optional={
        "axis": axes(len(inputs.shape)), "renorm": st.booleans(), "virtual_batch_size": st.just(2)}))
    return Case(kwargs, inputs, only="tf_keras")


@st.composite
def within(draw: Any, optional: Any) -> Case:
    inputs = draw(tensors(least=1))
    kwargs = draw(arguments({}, {"axis": axes(len(inputs.shape)), **optional}, {"axis": st.sampled_from([None, 0.5])}))
    return Case(kwargs, inputs, policy=draw(POLICIES))


@st.composite
def group(draw: Any) -> Case:
    inputs = draw(tensors(least=2))
    rank = len(inputs.shape)
    axis = draw(st.sampled_from([-1, -1, rank - 1, rank, -rank - 1, *range(1, rank)]))
    kwargs = draw(arguments({"groups": st.sampled_from([-1, 1, 2, 3, 1, 2])}, SWITCHES, {}))
    return Case({**kwargs, "axis": axis}, inputs, policy=draw(POLICIES))


WRAPPED = st.sampled_from([Sub("keras.layers.Dense", {"units": 3}),
                           Sub("keras.layers.Dense", {"units": 2, "use_bias": False}),
                           Sub("keras.layers.Embedding", {"input_dim": 5, "output_dim": 3}),
                           Sub("keras.layers.Dropout", {"rate": 0.5})])

CONFIGS = {
    "keras.layers.BatchNormalization": st.one_of(batch(), batch(), fused()),
    "keras.layers.experimental.SyncBatchNormalization": batch(sync=True),
    "keras.layers.LayerNormalization": within(SWITCHES),
    "keras.layers.RMSNormalization": within({"epsilon": EPSILONS}),
    "keras.layers.UnitNormalization": within({}),
    "keras.layers.GroupNormalization": group(),
    "keras.layers.SpectralNormalization": st.builds(
        Case, arguments({"layer": WRAPPED}, {"power_iterations": st.integers(1, 2)}, {"power_iterations": st.just(0)}),
        tensors(least=2), only=st.just("keras")),  # tf_keras 2.21 asks tf.keras, now Keras 3, for its InputSpec
}
