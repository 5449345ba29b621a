"""Arrays of one number, what they are joined to, and rows that are put in another order: labels of a program's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.source import Span
from cudnnlint.values.origins import Bounds, getter, of_content, plain
from cudnnlint.values.tensor import Step, Tensor

FILLS: dict[str, int | None] = {
    **dict.fromkeys(("numpy.zeros", "tensorflow.zeros"), 0), **dict.fromkeys(("numpy.ones", "tensorflow.ones"), 1),
    **dict.fromkeys(("numpy.full", "tensorflow.fill"))}
"""What they fill an array with; None for their second argument."""
PERMUTATIONS = ("numpy.random.permutation", "torch.randperm")
LONG = 20_000
"""Elements of a list that are looked at."""
WHOLE = 2**53
"""Beyond it a float64 does not hold every whole number."""


def constant(tensor: Tensor, joined: Span | None = None) -> Bounds | None:
    """Of what is full of one whole number. NumPy's may be written to where nobody sees it, unless it is made within
    the call that joins it to others, `joined`."""
    step = tensor.step
    if step is None or step.maker not in FILLS or not isinstance(tensor.shape, tuple):
        return None
    if tensor.kind != "tf" and not (joined is not None and _within(step.span, joined)):
        return None
    value = FILLS[step.maker]
    if value is None:
        args, kwargs = step.arguments or ((), {})
        value = plain(getter(list(args), kwargs)(1, "fill_value" if step.maker == "numpy.full" else "value"))
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= WHOLE or value != int(value):
        return None
    return Bounds(int(value), int(value), every=True) if (size(tensor) or 0) > 0 else None


def size(tensor: Tensor) -> int | None:
    dims = [dim for dim in tensor.shape if isinstance(dim, int)] if isinstance(tensor.shape, tuple) else []
    return math.prod(dims) if isinstance(tensor.shape, tuple) and len(dims) == len(tensor.shape) else None


def together(known: Sequence[Bounds], parents: Sequence[Tensor]) -> Bounds:
    """Of what is joined: all that its parts hold."""
    low, high = min(one.low for one in known), max(one.high for one in known)
    found = Bounds(low, high, all(one.random for one in known), all(one.every and one == known[0] for one in known),
                   all(one.often and one == known[0] for one in known))
    sizes = [size(parent) for parent in parents]
    if len(known) < 2 or not all(one.low == one.high for one in known) or not all(sizes):
        return found
    counts: dict[int, int] = {}
    for one, count in zip(known, sizes, strict=True):
        counts[one.low] = counts.get(one.low, 0) + (count or 0)
    return replace(found, every=len(counts) == high - low + 1,
                   often=2 * min(counts[low], counts[high]) * (high - low + 1) >= sum(counts.values()))


CHOOSING = ("numpy.where", "tensorflow.where")


def chosen(tensor: Any) -> Bounds | None:
    """`np.where(score < 0.5, -1, 1)`, with another one within: each number is written for some elements, in no order.
    Of what else stands there the condition may have taken away just the greatest."""
    step = tensor.step if isinstance(tensor, Tensor) else None
    if step is None or step.maker not in CHOOSING or step.arguments is None or not (size(tensor) or 0) > 1:
        return None
    args, kwargs = step.arguments
    get = getter(list(args), kwargs)
    known = [of_content((held,)) if isinstance(held, int) else chosen(held)
             for held in (plain(get(1, "x")), plain(get(2, "y")))]
    parts = [one for one in known if one is not None]
    return Bounds(min(one.low for one in parts), max(one.high for one in parts), random=True) \
        if len(parts) == 2 else None


def reordered(step: Step) -> Tensor | None:
    """`y[np.random.permutation(len(y))]`: the rows of y, each of them once."""
    if step.maker != "operator.getitem" or len(step.parents) != 2:
        return None
    rows, order = step.parents
    if order.step is None or order.step.maker not in PERMUTATIONS or not isinstance(rows.shape, tuple) \
            or not rows.shape:
        return None
    args, _ = order.step.arguments or ((), None)
    count = plain(args[0]) if args else None
    return rows if type(count) is int and rows.shape[0] == count and order.shape == (count,) else None


def rows_of(value: Any) -> list[list[Any]] | None:
    """The rows of a list of lists, if all of it is known."""
    rows: list[list[Any]] = []
    for row in _items(value) or ():
        held = _items(plain(row))
        if held is None:
            return None
        rows.append(held)
    return rows if 0 < sum(map(len, rows)) <= LONG else None


def _items(value: Any) -> list[Any] | None:
    items = getattr(value, "items", value)
    known = isinstance(items, list | tuple) and not getattr(value, "unknown", None) and len(items) <= LONG
    return [plain(item) for item in items] if known else None


def padded_rows(given: list[Any], named: dict[str, Any]) -> Bounds | None:
    """`pad_sequences([[1, 2], [3]])`: what the rows hold, and what they are padded with; none is cut."""
    get = getter(given, named)
    rows, length, value = rows_of(get(0, "sequences")), get(1, "maxlen"), get(5, "value")
    longest = max(map(len, rows), default=0) if rows is not None else 0
    length = longest if length is None else length
    if rows is None or type(length) is not int or length < longest:
        return None
    pads = [0 if value is None else value] if any(len(row) < length for row in rows) else []
    return of_content((*pads, *(item for row in rows for item in row)))


STACKED = "torch.nn.utils.rnn.pad_sequence"


def padded_together(known: Sequence[Bounds], parents: Sequence[Tensor], value: Any) -> Bounds | None:
    """`pad_sequence([a, b], padding_value=0)`: what all of them hold, and what the shorter ones are padded with."""
    pads = [0 if value is None else value]
    if len({parent.shape[0] for parent in parents if isinstance(parent.shape, tuple) and parent.shape}) == 1:
        pads = []
    if (added := of_content(tuple(pads))) is None:
        return together(known, parents) if not pads else None
    return replace(together(known, parents), low=min(added.low, *(one.low for one in known)),
                   high=max(added.high, *(one.high for one in known)), every=False, often=False)


def _within(inner: Span, outer: Span) -> bool:
    return inner.path == outer.path and (outer.line, outer.column) <= (inner.line, inner.column) \
        and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


__all__ = ["CHOOSING", "LONG", "STACKED", "chosen", "constant", "padded_rows", "padded_together", "reordered",
           "rows_of", "together"]
