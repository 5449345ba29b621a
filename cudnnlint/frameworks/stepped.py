"""What one step of a program's own loop, or of a train_step() of its own, trains: gradients by gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.frameworks.tapes import Descent as Asked
from cudnnlint.interp.machine import Machine
from cudnnlint.records import record
from cudnnlint.source import Span

TURNS = 2
"""Turns of a loop within a step that are told apart: the second waits for what the first has changed, as do all further
ones."""
FITTED, STEPS = "steps fitted", "steps of loops"


@record(frozen=True, slots=True)
class Trained:
    """Gradients that were applied to a model's variables, at `span`.

    outputs, losses  of the model, and of the loss that was called on them, where the tensor that the gradients are of
                     is not followed
    """

    span: Span
    asked: Asked
    owner: Any
    optimizer: Any
    outputs: Any
    losses: Any


def note(m: Machine, trained: Trained) -> tuple[Trained, ...] | None:
    """Keep it; gives what this step has trained so far, or None within a step that fit() calls and tells of."""
    fitted: list[Trained] | None = m.state.get(FITTED)
    if fitted is not None:
        _put(fitted, trained, TURNS)
        return None
    key = (tuple(m.calls), m.loops[-1].born if m.loops else 0)
    steps: list[Trained] = m.state.setdefault(STEPS, {}).setdefault(key, [])
    _put(steps, trained, 1)
    return tuple(steps)


def _put(steps: list[Trained], trained: Trained, turns: int) -> None:
    """After what the turns before trained there, of which the last are kept."""
    same = [one for one in steps if one.span == trained.span and one.owner is trained.owner]
    gone = same[:len(same) + 1 - turns]
    steps[:] = [one for one in steps if one not in gone]
    steps.append(trained)


def fitted(m: Machine, run: Callable[[], Any]) -> tuple[Any, tuple[Trained, ...]]:
    """What a step that fit() calls gives, and what it trains."""
    outer, m.state[FITTED] = m.state.get(FITTED), []
    try:
        made = run()
        return made, tuple(m.state[FITTED])
    finally:
        m.state[FITTED] = outer
