"""Which whole numbers certainly occur in a tensor: the classes that labels are told apart as."""

from __future__ import annotations

import math
from typing import Any

from cudnnlint.values.bounds import Bounds, bounds
from cudnnlint.values.tensor import Tensor

ROWS = 48
"""Elements in no order for each of the numbers that they are drawn from, so that none is taken to be missing: the
rarest of the 46 classes of Reuters has one in 500 rows."""


def occurring(tensor: Any) -> range | None:
    """All that occur, if they are known and lie side by side.

    >>> occurring(Tensor((4,), "int64", content=(1, 3, 2, 1)))
    range(1, 4)
    >>> occurring(Tensor((3,), "int64", content=(1, 5, 2)))
    """
    held = extremes(tensor)
    return range(held.low, held.high + 1) if held is not None and held.every else None


def extremes(tensor: Any) -> Bounds | None:
    """The least and the greatest, which are certainly met."""
    held = bounds(tensor)
    if held is None or not held.random or (_size(tensor) or 0) >= ROWS * (held.high - held.low + 1):
        return held
    return None


def _size(tensor: Any) -> int | None:
    shape = tensor.shape if isinstance(tensor, Tensor) else None
    dims = [dim for dim in shape if isinstance(dim, int)] if isinstance(shape, tuple) else []
    return math.prod(dims) if isinstance(shape, tuple) and len(dims) == len(shape) else None
