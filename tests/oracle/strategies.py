"""Building blocks for configurations: mostly right, with at most one thing wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Spec

Strategy = st.SearchStrategy[Any]
FORMATS = st.sampled_from([None, "channels_last", "channels_first", "Channels_Last"])
CHANNELS = st.sampled_from([1, 2, 3, 4, 6])


@st.composite
def arguments(draw: Any, required: Mapping[str, Strategy], optional: Mapping[str, Strategy],
              odd: Mapping[str, Strategy]) -> dict[str, Any]:
    """Valid keyword arguments; in about a fifth of the cases one of them is replaced from `odd`."""
    kwargs = draw(st.fixed_dictionaries(dict(required), optional=dict(optional)))
    if odd and draw(st.sampled_from([False] * 4 + [True])):
        name = draw(st.sampled_from(sorted(odd)))
        kwargs[name] = draw(odd[name])
    return kwargs


def extents(axes: int, numbers: Strategy) -> Strategy:
    """One number for all axes, or a list or tuple with one for each."""
    each = st.lists(numbers, min_size=axes, max_size=axes)
    return st.one_of(numbers, each, each.map(tuple))


def bad_extents(axes: int) -> Strategy:
    """Zero, negative, of the wrong length, or no number at all."""
    wrong = st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda items: len(items) != axes)
    return st.one_of(st.sampled_from([0, -1, None, 1.5, "2"]), extents(axes, st.integers(-1, 2)), wrong)


def shape(draw: Any, axes: int, data_format: Any, channels: Strategy = CHANNELS) -> Spec:
    """(batch, *spatial, channels) in either format; seldom of another rank, with free axes, or of another dtype."""
    odd = draw(st.sampled_from([None] * 9 + ["rank", "axis", "channel", "dtype"]))
    count = axes + (draw(st.sampled_from([-1, 1])) if odd == "rank" else 0)
    spatial = draw(st.lists(st.integers(1, 9), min_size=count, max_size=count))
    if odd == "axis" and spatial:
        spatial[draw(st.integers(0, count - 1))] = None
    channel = None if odd == "channel" else draw(channels)
    first = str(data_format).lower() == "channels_first"
    dims = (draw(st.sampled_from([None, 2])), *([channel, *spatial] if first else [*spatial, channel]))
    return Spec(dims, draw(st.sampled_from(["float16", "float64", "int32", "uint8", "bool"]))
                if odd == "dtype" else "float32")


POLICIES = st.sampled_from([None] * 8 + ["mixed_float16", "float16", "float64", "mixed_bfloat16"])
