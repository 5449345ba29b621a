"""Columns of a table: the arrays that `np.stack([users, items], axis=1)` put side by side."""

from __future__ import annotations

from typing import Any

from cudnnlint.values.origins import plain
from cudnnlint.values.tensor import Tensor

STACKS = frozenset({"numpy.stack", "tensorflow.stack", "keras.ops.stack"})
SIDE_BY_SIDE = "numpy.column_stack"
KEEPING = frozenset({f"numpy.{name}" for name in ("array", "asarray", "ascontiguousarray", "copy", "astype")}
                    | {f"tensorflow.{name}" for name in ("cast", "constant", "convert_to_tensor", "identity")}
                    | {f"keras.ops.{name}" for name in ("cast", "convert_to_tensor")})
"""Steps that leave each number in its place."""
DEPTH = 40


def column(table: Any, key: Any) -> Tensor | None:
    """What `table[:, 1]` was stacked of: `key` is what stands in the brackets."""
    place = _place(key)
    if place is None:
        return None
    for _ in range(DEPTH):
        step = table.step if isinstance(table, Tensor) else None
        if step is None:
            return None
        if step.maker in STACKS or step.maker == SIDE_BY_SIDE:
            return _stacked(step, place, table)
        if len(step.parents) != 1 or not (step.maker is None or step.maker in KEEPING):
            return None
        table = step.parents[0]
    return None


def _place(key: Any) -> int | None:
    """The number of the column in `[:, 1]` and `[..., 1]`."""
    parts = tuple(map(plain, key)) if isinstance(key, tuple) else ()
    if len(parts) != 2 or not (parts[0] == slice(None) or parts[0] is Ellipsis):
        return None
    return parts[1] if isinstance(parts[1], int) and not isinstance(parts[1], bool) else None


def _stacked(step: Any, place: int, table: Tensor) -> Tensor | None:
    """The `place`-th of the vectors that were stacked as columns, of which a list may hold others by now."""
    args: tuple[Any, ...] = step.arguments[0] if step.arguments else ()
    kwargs: dict[str, Any] = step.arguments[1] if step.arguments else {}
    given = plain(args[0]) if args else None
    items = [plain(item) for item in getattr(given, "items", given) or ()] \
        if isinstance(getattr(given, "items", given), list | tuple) and not getattr(given, "unknown", None) else []
    axis = plain(args[1] if len(args) > 1 else kwargs.get("axis", 0))
    vectors = all(isinstance(item, Tensor) and item.rank == 1 for item in items) and \
        isinstance(table.shape, tuple) and table.shape[-1:] == (len(items),)
    if not vectors or not -len(items) <= place < len(items) or (step.maker != SIDE_BY_SIDE and axis not in (1, -1)):
        return None
    found = items[place]
    return found if isinstance(found, Tensor) else None


__all__ = ["column"]
