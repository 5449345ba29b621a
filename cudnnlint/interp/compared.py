"""Losses of PyTorch told of: what they were given, once it was accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.source import Span
from cudnnlint.values import Tensor
from cudnnlint.values.assumption import Assumptions

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine


def compared(m: Machine, name: str, output: Any, target: Any, span: Span, assumptions: Assumptions) -> None:
    if isinstance(output, Tensor) and isinstance(target, Tensor):
        from cudnnlint.events.losses import TargetsCompared

        m.say(TargetsCompared, span, about=(output, target), assumptions=assumptions, name=name, output=output,
              target=target)
