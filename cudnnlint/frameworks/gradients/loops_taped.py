"""Loops that run under one tape, which keeps what each of their turns computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.events import FunctionApplied, LayerApplied, tensors
from cudnnlint.events.loops import LoopTaped
from cudnnlint.frameworks.gradients.recording import Recorder
from cudnnlint.interp.loops.kept import TAPES
from cudnnlint.interp.loops.turns import Loop, in_graph, product, total
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import Tensor

HISTORY = 16
"""Steps that are looked back, and tensors at each of them."""


class LoopRecorder(Recorder):
    """Hears what the loops do that began since it listens; `span` is where it was made, if it keeps what they do."""

    def __init__(self, span: Span | None) -> None:
        super().__init__()
        self.span, self.since, self.emptied = span, 0, False

    def heard(self, m: Machine, event: LayerApplied) -> None:
        """A model that a loop over data applies to one batch after the other."""
        for each in self._loops(m):
            if each.over == "dataset":
                self._note(m, each, id(event.maker), total(m, each), event.span)

    def summed(self, m: Machine, event: FunctionApplied) -> None:
        """Terms that come from what a model gave, added up one by one."""
        loops = self._loops(m)
        if loops and not any(each.over in ("dataset", "") for each in loops) \
                and self._gave(tensors(list(event.arguments.values()))):
            self._note(m, loops[0], "summed", product(loops), event.span, does="sums")

    def stepped(self, c: Call) -> None:
        """An optimizer trains in each turn of a loop, while the tape is still open."""
        if self.since in c.machine.state.get(TAPES, ()):
            for each in self._loops(c.machine):
                if each.over != "dataset":
                    self._note(c.machine, each, "stepped", total(c.machine, each), c.span, does="trains")

    def _loops(self, m: Machine) -> list[Loop]:
        if self.span is None or self.emptied or in_graph(m):
            return []
        return [each for each in m.loops if each.born > self.since]

    def _note(self, m: Machine, each: Loop, what: Any, turns: Any, used: Span, does: str = "applies") -> None:
        if self.span is not None:
            found = m.event(LoopTaped, self.span, loop=each.info(), turns=turns, used=used, does=does)
            each.note(("tape", id(self), what), found)

    def _gave(self, found: Sequence[Tensor]) -> bool:
        """Whether one was computed from what a layer gave while it listens."""
        makers = {id(event.maker) for event in self.applications}
        for _ in range(HISTORY if makers else 0):
            steps = [one.step for one in found if one.step is not None]
            if any(id(step.maker) in makers for step in steps):
                return True
            found = [parent for step in steps for parent in step.parents][:HISTORY]
        return False
