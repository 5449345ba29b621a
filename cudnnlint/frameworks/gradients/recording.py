"""What is applied and called while a part of the program runs: under a tape, or in a step of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.events import Event, FunctionApplied, LayerApplied, LossCalled
from cudnnlint.interp.machine import Machine


class Recorder:
    """Keeps the layers that are applied and the losses that are called while it listens, not what is inside them."""

    always_true = True

    def __init__(self) -> None:
        self.applications: list[LayerApplied] = []
        self.losses: list[LossCalled] = []
        self.silent = True
        """No layer was applied so far, at any depth; of what is not known either, which nothing tells of."""
        self._depth = self._applied = 0
        self._emit: Callable[[Event], None] = lambda event: None

    def entered(self, m: Machine) -> Any:
        outer: Any = m.emit
        self._emit, self._depth, self._applied = outer, len(m.applying), m.applied

        def note(event: Event) -> None:
            if isinstance(event, LayerApplied):
                self.silent = False
            if isinstance(event, LayerApplied) and len(event.within) == self._depth:
                self.applications.append(event)
                self.heard(m, event)
            elif isinstance(event, LossCalled):
                self.losses.append(event)
            elif isinstance(event, FunctionApplied) and event.path == "operator.+":
                self.summed(m, event)
            outer(event)

        m.emit = note
        return self

    def heard(self, m: Machine, event: LayerApplied) -> None:
        """A layer or model was applied."""

    def summed(self, m: Machine, event: FunctionApplied) -> None:
        """Two tensors were added in a loop."""

    def left(self, m: Machine) -> None:
        m.emit = self._emit
        self.silent &= m.applied == self._applied

    def first_of(self, model: Any) -> LayerApplied | None:
        """The first application of the model."""
        return next((event for event in self.applications if event.maker is model), None)
