"""Where extents are None though the tensor that flows has them: in graphs that are traced for any batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.convert import strip
from cudnnlint.interp.graphs.placeholders import is_placeholder
from cudnnlint.interp.machine import Machine
from cudnnlint.records import record
from cudnnlint.values import Symbol, Tensor

OPENED = "open extents"
"""Key of those under way."""
FARTHEST = 64
"""Layers on the way from an input that are looked at."""


@record(frozen=True, slots=True)
class Opened:
    """One such graph: `when` as it is told, `rows` the tensors whose first axis is open there, by identity."""

    when: str
    rows: frozenset[int]
    depth: int
    uncertain: int


@contextmanager
def opened(m: Machine, when: str, rows: Any = None) -> Iterator[None]:
    """What is followed inside is a graph in which every extent that varies is None, and so are the rows of `rows`."""
    found = [tensor for tensor in tensors(strip(rows)) if isinstance(tensor.shape, tuple) and tensor.shape]
    known = frozenset({id(each) for each in found} | {id(each.step) for each in found if each.step is not None})
    under_way: list[Opened] = m.state.setdefault(OPENED, [])
    under_way.append(Opened(when, known, len(m.frames), m.uncertain))
    try:
        yield
    finally:
        under_way.pop()


def innermost(m: Machine) -> Opened | None:
    under_way = m.state.get(OPENED)
    return under_way[-1] if under_way else None


def axes_open(m: Machine, tensor: Tensor) -> frozenset[int]:
    """Axes of which the graph under way knows no extent."""
    here = innermost(m)
    if here is None or tensor.kind != "tf" or not isinstance(tensor.shape, tuple) or not is_placeholder(m, tensor):
        return frozenset()
    free = {axis for axis, dim in enumerate(tensor.shape) if isinstance(dim, Symbol)}
    return frozenset(free | {0} if tensor.shape and _is_of_rows(tensor, here.rows) else free)


def _is_of_rows(tensor: Tensor, rows: frozenset[int]) -> bool:
    """Whether it is one of the inputs, or what layers of Keras made of one: they keep the batch axis."""
    one = tensor
    for _ in range(FARTHEST):
        if id(one) in rows or id(one.step) in rows:
            return True
        maker = one.step.maker if one.step is not None else None
        path = maker if isinstance(maker, str) else getattr(maker, "path", "")
        user = getattr(maker, "user", None)
        if one.step is None or not one.step.parents or user is not None or not _keeps_rows(path):
            return False
        one = one.step.parents[0]
    return False


def _keeps_rows(path: Any) -> bool:
    return path == "tensorflow.cast" or (isinstance(path, str) and path.startswith("keras.layers.")
                                         and path != "keras.layers.Lambda")
