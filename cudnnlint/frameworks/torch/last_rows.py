"""The last row of a dataset of the user's, whose length says that there are more rows than it can give."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Rejected
from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Problem
from cudnnlint.values.dim import is_known


def tell_of_last(c: Call, dataset: Any, rows: Any) -> None:
    """`return self.series[i + self.window]` where `__len__()` gives len(self.series): whatever the sampler's order, an
    epoch asks for the last row (torch/utils/data/sampler.py: SequentialSampler, RandomSampler)."""
    m = c.machine
    if not isinstance(dataset, InstanceV) or not is_known(rows) or rows < 1 or m.trying or m.handlers or m.uncalled:
        return
    get, emit = method_of(dataset, "__getitem__"), m.emit
    if get is MISSING:
        return

    def told(event: Any) -> None:
        if isinstance(event, Rejected) and event.mismatch.problem is Problem.INDEX:
            emit(event)

    m.emit = told
    try:
        m.call(get, [rows - 1], {}, c.node)
    finally:
        m.emit = emit


__all__ = ["tell_of_last"]
