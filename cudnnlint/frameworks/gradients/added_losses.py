"""The losses that a model has of its own: what its regularizers and add_loss() give."""

from __future__ import annotations

from typing import Any

from cudnnlint.events.training import PENALTY
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.parts import within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown

ADDED = "more than numbers were given to add_loss()"
GIVEN = "what was computed for add_loss()"
"""Where in the state: the layer by the place of the call."""


@FRAMEWORK.attribute("keras.layers.Layer.losses")
def losses(m: Machine, value: Any) -> Any:
    """What regularizers and add_loss() of a model's layers give: some numbers, unless add_loss() was given more."""
    step = Step(Span(m.linted, 1, 0, 1, 0), (), PENALTY, (((plain(value),),), {}))
    shape = Unknown("what add_loss() was given") if ADDED in m.state else ()
    return ListV([Tensor(shape, "float32", "tf", None, step)], Unknown("how many losses there are")).settle()


@FRAMEWORK.on("keras.layers.Layer.add_loss")
def add_loss(c: Call) -> None:
    """Kept as it is (keras/src/layers/layer.py: add_loss); in Keras 2 also a function that gives it."""
    given = plain(c.get(0, "loss") or c.get(0, "losses"))
    if isinstance(given, FunctionV) or (isinstance(given, Tensor) and given.rank):
        c.machine.state[ADDED] = True
    if isinstance(given, Tensor) and given.step is not None:
        c.machine.state[GIVEN] = {**c.machine.state.get(GIVEN, {}), c.span: plain(c.receiver)}


def added_losses(m: Machine, model: Any) -> list[Span]:
    """Where a model or a part of it gives a loss that it has computed to add_loss()."""
    given = m.state.get(GIVEN, {})
    parts = [plain(one) for one in within(model)] if given else []
    return [span for span, layer in given.items() if any(one is layer for one in parts)]
