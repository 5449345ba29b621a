"""Losses of PyTorch."""

from __future__ import annotations

from dataclasses import dataclass

from cudnnlint.events.base import Event
from cudnnlint.values import Tensor


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TargetsCompared(Event):
    """A loss of PyTorch took an output and targets.

    name   the module's, "MSELoss", also for a function
    """

    name: str
    output: Tensor
    target: Tensor
