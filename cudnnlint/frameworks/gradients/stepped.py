"""What one step of a program's own loop, or of a train_step() of its own, trains: gradients by gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.events.training import VARIABLE
from cudnnlint.frameworks.gradients.tapes import Descent as Asked
from cudnnlint.interp.loops.kept import ASSIGNED
from cudnnlint.interp.machine import Machine
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Tensor

TURNS = 2
"""Turns of a loop within a step that are told apart: the second waits for what the first has changed, as do all further
ones."""
FITTED, STEPS = "steps fitted", "steps of loops"
MOVES, LAST = "variables moved", "last step"


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


@record(frozen=True, slots=True)
class Moved:
    """A typical variable of a model (`target`) that a step assigns what it computes of others': a moving average.

    how  "assign", "assign_add" or "assign_sub"
    """

    span: Span
    target: Tensor
    value: Tensor
    how: str


Did = tuple[Trained | Moved, ...]


def moved(m: Machine, span: Span, target: Tensor, value: Tensor, how: str) -> None:
    """Told to what a step of the program's own has trained before."""
    if target.step is None or target.step.maker != VARIABLE:
        return
    one, within = Moved(span, target, value, how), m.state.get(MOVES)
    if within is not None:
        within[span] = one
    elif (last := m.state.get(LAST)) is not None and tuple(m.calls)[:len(last[0])] == last[0] and span not in last[1]:
        last[1][span] = one
        last[2](tuple(last[1].values()))


def goes_on(m: Machine, tell: Callable[[tuple[Moved, ...]], None]) -> None:
    """What to tell where the step that trains here assigns variables afterwards."""
    m.state[LAST] = tuple(m.calls), dict[Span, Moved](), tell


def note(m: Machine, trained: Trained) -> tuple[Trained, ...] | None:
    """Keep it; gives what this step has trained so far, or None within a step that fit() calls and tells of."""
    m.state[ASSIGNED] = moved
    fitted: list[Trained] | None = m.state.get(FITTED)
    if fitted is not None:
        _put(fitted, trained, TURNS)
        return None
    key = (tuple(m.calls), m.loops[-1].born if m.loops else 0)
    steps: list[Trained] = m.state.setdefault(STEPS, {}).setdefault(key, [])
    _put(steps, trained, TURNS if m.tracing else 1)  # a graph has all turns, what runs as it is written one by one
    return tuple(steps)


def _put(steps: list[Trained], trained: Trained, turns: int) -> None:
    """After what the turns before trained there, of which the last are kept."""
    same = [one for one in steps if one.span == trained.span and one.owner is trained.owner]
    gone = same[:len(same) + 1 - turns]
    steps[:] = [one for one in steps if one not in gone]
    steps.append(trained)


def fitted(m: Machine, run: Callable[[], Any]) -> tuple[Any, Did]:
    """What a step that fit() calls gives, and what it trains."""
    outer = m.state.get(FITTED), m.state.get(MOVES)
    m.state[FITTED], m.state[MOVES] = list[Trained](), dict[Span, Moved]()
    try:
        made = run()
        return made, (*m.state[FITTED], *m.state[MOVES].values())
    finally:
        m.state[FITTED], m.state[MOVES] = outer
