"""keras.backend.function: from tensors of a graph to others, which is a model where TensorFlow runs eagerly."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.building import functional
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Tensor, Unknown

NAME = "keras.backend.function"
OTHERS = frozenset({"name"})
"""Arguments beside inputs and outputs that eager execution takes."""


@FRAMEWORK.on(NAME)
def function(c: Call) -> Any:
    """`models.Model(inputs, outputs)`, called on arrays (tf_keras/src/backend.py: function)."""
    m, inputs, outputs = c.machine, c.get(0, "inputs"), c.get(1, "outputs")
    given = [*_each(inputs), *_each(outputs)]
    if m.stack.keras >= (3,) or m.stack.tensorflow < (2,) or len(c.args) > 2 or c.kwargs.keys() - OTHERS - {
            "inputs", "outputs"} or not all(isinstance(one, Tensor) and one.kind == "keras" for one in given):
        return Unknown(f"{NAME}()")
    model = functional(m, inputs, outputs, "keras.Model", m.unique_name("model"), c.span)
    alone = isinstance(plain(outputs), ListV) and len(_each(outputs)) == 1
    return BuiltinV("function", lambda call: _run(call, model, alone))


def _each(value: Any) -> list[Any]:
    held = strip(value)
    return held if isinstance(held, list) else [held]


def _run(c: Call, model: ModelV, alone: bool) -> Any:
    """What the model gives, as arrays; the only one of a list in a list."""
    made = c.machine.call(model, c.args[:1], {}, c.node)
    if isinstance(held := plain(made), Tensor):
        array = held.with_(kind="numpy")
        return ListV([array]) if alone else array
    if isinstance(held, ListV) and not held.unknown and len(tensors(strip(held))) == len(held.items):
        return ListV([one.with_(kind="numpy") for one in tensors(strip(held))])
    return Unknown("what a function of the backend gives")
