"""Inputs for layers that take any rank."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Spec

DTYPES = ("float32",) * 8 + ("float16", "float64", "int32", "uint8", "int64", "bool")


@st.composite
def tensors(draw: Any, least: int = 1, most: int = 5, dtypes: tuple[str, ...] = DTYPES) -> Spec:
    """(batch, ...) with `least` to `most` axes, seldom a free one among them, seldom not of float32."""
    rank = draw(st.integers(least, most))
    sizes = draw(st.lists(st.integers(1, 6), min_size=rank, max_size=rank))
    if rank:
        sizes[0] = draw(st.sampled_from([None, None, 2]))
    if rank > 1 and draw(st.sampled_from([False] * 4 + [True])):
        sizes[draw(st.integers(1, rank - 1))] = None
    return Spec(tuple(sizes), draw(st.sampled_from(dtypes)))
