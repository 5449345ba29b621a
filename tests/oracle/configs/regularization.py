"""Configurations of dropout, noise and activity regularisation."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.shapes import tensors
from tests.oracle.strategies import FORMATS, POLICIES, arguments, shape

RATES = st.sampled_from([0, 0.0, 0.1, 0.5, 1, 1.0])
ODD = st.sampled_from([-0.1, 1.5, 50])


@st.composite
def noise(draw: Any, name: str, *, shaped: bool = False) -> Case:
    inputs = draw(tensors())
    extents = st.tuples(*(st.sampled_from([None, 1]) for _ in inputs.shape))
    kwargs = draw(arguments({name: RATES}, {"seed": st.integers(0, 9), **({"noise_shape": extents} if shaped else {})},
                            {name: ODD}))
    return Case(kwargs, inputs, policy=draw(POLICIES))


@st.composite
def spatial(draw: Any, rank: int) -> Case:
    optional = {"data_format": FORMATS.filter(lambda text: text != "Channels_Last")} if rank > 1 else {}
    odd = {"rate": ODD, **({"data_format": st.just("NHWC")} if rank > 1 else {})}
    kwargs = draw(arguments({"rate": RATES}, optional, odd))
    return Case(kwargs, shape(draw, rank, kwargs.get("data_format")), policy=draw(POLICIES))


CONFIGS = {
    "keras.layers.Dropout": st.one_of(noise("rate", shaped=True),
                                      st.just(Case({"rate": 0.5, "noise_shape": (None, 0)}, (None, 4), only="keras"))),
    "keras.layers.GaussianDropout": noise("rate"),
    "keras.layers.AlphaDropout": noise("rate"),
    "keras.layers.GaussianNoise": noise("stddev"),
    "keras.layers.SpatialDropout1D": spatial(1),
    "keras.layers.SpatialDropout2D": spatial(2),
    "keras.layers.SpatialDropout3D": spatial(3),
    "keras.layers.ActivityRegularization": st.builds(
        Case, st.fixed_dictionaries({}, optional={"l1": st.sampled_from([0.0, 0.1]), "l2": st.just(0.01)}), tensors(),
        policy=POLICIES),
}
