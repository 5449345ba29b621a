"""Models that a loop makes anew in each turn, where it trains or runs them."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import ModelRebuilt
from cudnnlint.interp import turns
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.source import Span


def used(m: Machine, model: Any, method: str, span: Span) -> None:
    """A model is trained or run: where a loop made it in this turn, that is noted."""
    if not m.loops or (found := turns.remade(m, plain(model))) is None:
        return
    within, made = found
    event = m.event(ModelRebuilt, made.span, loop=within.info(), turns=turns.total(m, within), method=method, used=span)
    within.note(("model", made.span), event)
