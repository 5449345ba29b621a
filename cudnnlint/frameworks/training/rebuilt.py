"""Models in loops: made anew in each turn, and asked for the predictions of one batch."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Data, tensors
from cudnnlint.interp.graphs.sessions import OWN
from cudnnlint.interp.loops import turns
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.telling import TURNS
from cudnnlint.source import Span

RANDOM = ("a random number", "a random value", "random numbers")
"""What a condition is on that chance decides: a policy that now explores and now asks its model."""


def predicted(m: Machine, data: Data, batch_size: Any, span: Span) -> None:
    """predict() is called on what a direct call of the model would do as well."""
    limit = plain(batch_size) if batch_size is not None else 32  # keras/src/trainers/trainer.py: predict
    rows = data.rows
    if not m.loops or turns.in_graph(m) or not isinstance(rows, int) or not isinstance(limit, int) or rows > limit:
        return
    within = m.loops[-1]
    chance = m.uncertain != within.uncertain
    if chance and not all(reason == TURNS or reason.startswith(RANDOM) for reason in m.conditions[within.conditions:]):
        return  # now and then
    from cudnnlint.events.loops import PredictedInLoop

    event = m.event(PredictedInLoop, span, about=tensors(data.x), loop=within.info(), turns=turns.total(m, within),
                    rows=rows, chance=chance)
    within.note(("predict", span), event)


def used(m: Machine, model: Any, method: str, span: Span) -> None:
    """A model is trained or run: where a loop made it in this turn, that is noted."""
    if not m.loops or (found := turns.remade(m, plain(model))) is None:
        return
    within, made = found
    if (turns.COLLECTED, made.span) in within.facts or OWN in within.facts:
        return
    from cudnnlint.events.loops import ModelRebuilt

    event = m.event(ModelRebuilt, made.span, loop=within.info(), turns=turns.total(m, within), method=method, used=span)
    within.note(("model", made.span, method), event)
