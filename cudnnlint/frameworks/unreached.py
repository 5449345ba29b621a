"""Gradients of what a model made before the tape was listening: there are none."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.tapes import READ, Descent
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Step

FAR = 256
"""Steps of a history that are looked back at."""


def check_reached(c: Call, descent: Descent) -> None:
    """The loss comes from what the model made above, and under the tape no layer was applied and no variable read."""
    tape, m = descent.tape, c.machine
    if tape.emptied or tape.span is None or not tape.silent or not descent.owners or not tensors(descent.loss) \
            or m.trying or m.state.get(READ, -1) > tape.since:
        return
    made = [step.span for step in _history(descent.loss)
            if any(plain(step.maker) is owner for owner in descent.owners)]
    if not made or any(span.path != tape.span.path or span.line >= tape.span.line for span in made):
        return
    refuse(m, c.span, Mismatch(
        Problem.NO_GRADIENTS, "no layer is applied under the tape: all gradients are None",
        help="call the model within `with tf.GradientTape() as tape:`",
        error='ValueError "No gradients provided for any variable"'), what="apply_gradients", stage="call")


def _history(loss: Any) -> list[Step]:
    found: list[Step] = []
    todo = list(tensors(loss))
    while todo and len(found) < FAR:
        step = todo.pop().step
        if step is not None:
            found.append(step)
            todo += step.parents
    return found


__all__ = ["check_reached"]
