"""Known elements compared with each other: sorted, first of the greatest, running sums, equal ones."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Tensor, Unknown

RUNNING: dict[str, Callable[[Any, Any], Any]] = {"cumsum": operator.add, "cumprod": operator.mul}


def known(x: Any) -> tuple[Any, ...] | None:
    """All elements of `x` in a row, if each is a number."""
    held = contents.flat(x.content) if isinstance(x, Tensor) else None
    return held if held and all(isinstance(one, int | float) and not math.isnan(one) for one in held) else None


def distinct(held: Sequence[Any]) -> tuple[Any, ...]:
    """Each once, in ascending order."""
    return tuple(sorted(set(held)))


def placed(held: Sequence[Any]) -> tuple[int, ...]:
    """Where the elements stand, in ascending order; of equal ones only where that is one and the same."""
    return tuple(sorted(range(len(held)), key=held.__getitem__)) if len(set(held)) == len(held) else ()


def vector(x: Any) -> tuple[Any, ...] | None:
    """The elements of one axis."""
    return known(x) if isinstance(x, Tensor) and x.rank == 1 else None


def place_of_extreme(x: Any, greatest: bool) -> int | None:
    """Where the first of the greatest, or least, stands among all elements.

    >>> place_of_extreme(Tensor((3,), "int64", content=(1, 7, 7)), True)
    1
    """
    held = known(x)
    return None if held is None else held.index(max(held) if greatest else min(held))


def running(op: str, x: Any, dtype: Any) -> Any:
    """Each element with all before it: of whole numbers, since floats are added in the order that a library likes."""
    held = vector(x)
    if held is None or any(isinstance(one, float) for one in held) or isinstance(dtype, Unknown):
        return None
    return contents.small(contents.cast(tuple(itertools.accumulate(held, RUNNING[op])), dtype))


@function("numpy.array_equal")
def array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> Outcome:
    """
    >>> array_equal([32, 16], [32.0, 16.0]), array_equal([32, 16], [32]), array_equal([1], Tensor((1,), "int64"))
    (True, False, Unknown(why='np.array_equal'))
    """
    x, y = as_tensor(a1, "numpy"), as_tensor(a2, "numpy")
    if not isinstance(x, Tensor) or not isinstance(y, Tensor) or x.rank is None or y.rank is None:
        return Unknown("np.array_equal")
    if x.rank != y.rank or any(isinstance(m, int) and isinstance(n, int) and m != n
                               for m, n in zip(x.shape, y.shape, strict=True)):  # type: ignore[arg-type]
        return False
    left, right = known(x), known(y)
    return left == right if left is not None and right is not None else Unknown("np.array_equal")
