"""Configurations of layers that add or cut a border, or repeat rows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec
from tests.oracle.strategies import FORMATS, POLICIES, Strategy, arguments, bad_extents, extents, shape


def borders(axes: int, least: int = 0) -> Strategy:
    """An int, one an axis, or a pair an axis."""
    numbers = st.integers(least, 3)
    pair = st.one_of(st.tuples(numbers, numbers), st.lists(numbers, min_size=2, max_size=2))
    if axes == 1:
        return st.one_of(st.integers(0, 3), pair)
    side = st.one_of(numbers, pair)
    sides = st.lists(side, min_size=axes, max_size=axes)
    return st.one_of(st.integers(0, 3), sides, sides.map(tuple))


@st.composite
def bordered(draw: Any, axes: int, name: str, formats: bool = True) -> Case:
    optional = {name: borders(axes), **({"data_format": FORMATS} if formats else {})}
    odd = {name: st.one_of(st.sampled_from([None, 1.5, "2", (1,), (1, 2, 3, 4)]), borders(axes, -1)),
           **({"data_format": st.just("NHWC")} if formats else {})}
    kwargs = draw(arguments({}, optional, odd))
    return Case(kwargs, shape(draw, axes, kwargs.get("data_format")), policy=draw(POLICIES),
                only="keras" if axes == 1 and "data_format" in kwargs else None)


@st.composite
def upsampling(draw: Any, axes: int) -> Case:
    formats = {"data_format": FORMATS} if axes > 1 else {}
    methods = {"interpolation": st.sampled_from(["nearest", "bilinear", "bicubic", "lanczos3"])} if axes == 2 else {}
    sizes = st.integers(1, 4) if axes == 1 else extents(axes, st.integers(1, 3))
    kwargs = draw(arguments({}, {"size": sizes, **formats, **methods},
                            {"size": bad_extents(axes), **{key: st.just("NHWC") for key in formats}}))
    inputs = shape(draw, axes, kwargs.get("data_format"))
    if axes == 1 and isinstance(kwargs.get("size"), int) and kwargs["size"] <= 0:
        inputs = Spec((2, 4, 3))  # with a free length, Keras 2 fails later
    # Keras 2 calls int("2"), and forgets both extents of an image when one is free
    return Case(kwargs, inputs, policy=draw(POLICIES), sharper=axes == 2,
                unknown=kwargs.get("size") == "2" or (axes == 3 and len(inputs.shape) != 5))


CONFIGS = {
    **{f"keras.layers.ZeroPadding{axes}D": bordered(axes, "padding") for axes in (1, 2, 3)},
    **{f"keras.layers.Cropping{axes}D": bordered(axes, "cropping", axes > 1) for axes in (1, 2, 3)},
    **{f"keras.layers.UpSampling{axes}D": upsampling(axes) for axes in (1, 2, 3)},
}
