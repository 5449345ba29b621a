"""Arguments that classes of PyTorch and torchvision have no default for."""

from __future__ import annotations

from collections.abc import Sequence

from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem


def tell_of_missing(c: Call, name: str, needed: Sequence[str]) -> bool:
    """Whether a call of the class `name` leaves out some of what it needs, in this order."""
    lacking = tuple(one for one in needed[len(c.args):] if one not in c.kwargs)
    return bool(lacking) and refuse(c.machine, c.span, Mismatch(
        Problem.MISSING_ARGUMENT, f"{name} misses {' and '.join(lacking)}", argument=lacking[0],
        facts=(("lacking", lacking),)), what=name, stage="called")


__all__ = ["tell_of_missing"]
