"""What a program's own collate_fn makes of a batch: followed for two numbers of rows, to see what grows with them."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.heap import ListV, Raised
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV, PartialV
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.values import BATCH, Dim, Step, Tensor, Unknown
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.dim import lift

FEW, MORE = 2, 3
WHY = Unknown("a batch that a function makes")


@record(frozen=True, slots=True)
class Collated:
    """The batches of FEW and of MORE rows."""

    few: Any
    more: Any

    def batch(self, rows: Dim, step: Step, taken: Assumptions) -> Any:
        """That of `rows` rows."""
        return _between(self.few, self.more, rows, step, taken)


def collated(c: Call, function: Any, row: Any) -> Collated | None:
    """None where the function is not known, or nothing of a row is."""
    m = c.machine
    if not isinstance(plain(function), FunctionV | BoundV | PartialV | InstanceV) or isinstance(row, Unknown):
        return None
    emit, m.emit, made = m.emit, lambda event: None, list[Any]()
    expecting, m.expecting = m.expecting, m.expecting + 1
    try:
        for count in (FEW, MORE):
            made.append(strip(m.call(function, [ListV([wrap(row) for _ in range(count)])], {}, c.node)))
    except Raised:
        return None
    finally:
        m.emit, m.expecting = emit, expecting
    return None if isinstance(made[0], Unknown) else Collated(*made)


def _between(few: Any, more: Any, rows: Dim, step: Step, taken: Assumptions) -> Any:
    if isinstance(few, Tensor) and isinstance(more, Tensor):
        shape: Any = WHY
        if isinstance(few.shape, tuple) and isinstance(more.shape, tuple) and len(few.shape) == len(more.shape):
            shape = tuple(_extent(a, b, rows) for a, b in zip(few.shape, more.shape, strict=True))
        made = Step(step.span, (few,), step.maker) if few.step is not None else step  # it lies where those rows do
        return Tensor(shape, few.dtype if few.dtype == more.dtype else WHY, few.kind, None, made,
                      few.assumptions | taken)
    if isinstance(few, tuple | list) and type(few) is type(more) and len(few) == len(more):
        return type(few)(_between(a, b, rows, step, taken) for a, b in zip(few, more, strict=True))
    if isinstance(few, dict) and isinstance(more, dict) and few.keys() == more.keys():
        return {key: _between(few[key], more[key], rows, step, taken) for key in few}
    if isinstance(few, list) and isinstance(more, list) and len(few) == FEW and len(more) == MORE:
        return WHY  # one of each row
    return few if type(few) is type(more) and isinstance(few, str | bool | int | float | None) and few == more else WHY


def _extent(few: Dim, more: Dim, rows: Dim) -> Dim:
    """Of `rows` rows, if it is a multiple of their number; one that is the same for both is so for all.

    >>> _extent(64, 64, 8), _extent(2, 3, 8), _extent(8, 12, 8), _extent(1, 3, 8)
    (64, 8, 32, Unknown(why='a batch that a function makes'))
    """
    if not isinstance(few, int) or not isinstance(more, int):
        return few if few is more or few == more == BATCH else WHY
    if few == more:
        return few
    each = more - few
    if few != FEW * each or each <= 0:
        return WHY
    return rows if each == 1 else lift(lambda count: count * each, rows)
