"""Activations of functions and modules."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.heap import ListV, Pending
from cudnnlint.interp.objects import FunctionV, ModuleV, Scope
from cudnnlint.values.assumption import Assumptions


class Frame:
    """One activation: scope, module, what it returned, and the assumptions its control flow rests on."""

    __slots__ = ("call", "control", "forked", "function", "module", "pendings", "receiver", "scope", "uncertain",
                 "value", "yields")

    def __init__(self, scope: Scope, module: ModuleV, function: FunctionV | None, control: Assumptions) -> None:
        self.scope, self.module, self.function, self.control = scope, module, function, control
        self.value: Any = None
        self.receiver: Any = None
        self.call: Any = None
        """By which it was entered."""
        self.pendings: list[Pending] = []
        self.yields: ListV | None = None
        self.forked = False
        """Whether it tested something that is not known."""
        self.uncertain = 0
        """How many forks were open when it was entered."""
