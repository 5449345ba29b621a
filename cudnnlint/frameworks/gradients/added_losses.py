"""The losses that a model has of its own: what its regularizers and add_loss() give."""

from __future__ import annotations

from typing import Any

from cudnnlint.events.training import PENALTY
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.added import give, in_graph, last_given, not_known
from cudnnlint.interp.keras.added import missed as miss
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import layer_of, within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.changes import check_method
from cudnnlint.interp.objects import BoundV, FunctionV
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.tensor import tensors

LARGE = "more than numbers were given to add_loss()"
PENALIZING = ("regulariz", "Regulariz")


@FRAMEWORK.attribute("keras.layers.Layer.losses")
def losses(m: Machine, value: Any) -> Any:
    """What add_loss() was given in the last call, and what regularizers give: how many these are is not known."""
    parts = [plain(one) for one in within(value)]
    given = last_given(m, parts)
    if given and not m.uncertain and not not_known(m, parts) and not _penalizes(m, parts):
        return ListV(list(given))
    step = Step(Span(m.linted, 1, 0, 1, 0), (), PENALTY, (((plain(value),),), {}))
    shape = Unknown("what add_loss() was given") if LARGE in m.state else ()
    return ListV([Tensor(shape, "float32", "tf", None, step), *given], Unknown("how many losses there are")).settle()


def _penalizes(m: Machine, parts: list[Any]) -> bool:
    """Whether a layer may have a regularizer, or there may be further layers."""
    layers = [layer for one in parts if (layer := layer_of(one)) is not None]
    return any(isinstance(one, Unknown) for one in parts) or any(map(m.frame.module.source.says, PENALIZING)) or any(
        "regulariz" in name and plain(given) is not None
        for layer in layers for name, given in (*layer.arguments.items(), *layer.base.items())) or any(
        "Regulariz" in layer.path for layer in layers)


@FRAMEWORK.on("keras.layers.Layer.add_loss")
def add_loss(c: Call) -> None:
    """Kept as it is (keras/src/layers/layer.py: add_loss); in Keras 2 also a function that gives it."""
    m, given = c.machine, plain(c.get(0, "loss") or c.get(0, "losses"))
    if isinstance(model := plain(c.receiver), ModelV) and model.kind == "functional":
        check_method(c, "add_loss", "Functional")
    if isinstance(given, FunctionV | BoundV):
        given = _given_by(c, given)
    found = tensors(strip(given))
    for loss in found:
        give(m, plain(c.receiver), loss)
        if loss.rank != 0:
            m.state[LARGE] = True
    if not found and not isinstance(given, int | float):
        m.state[LARGE] = True
        miss(m, c.span, plain(c.receiver))


def _given_by(c: Call, function: FunctionV | BoundV) -> Any:
    from cudnnlint.frameworks.training.losses_kept import quietly

    return quietly(c.machine, lambda: c.machine.call(function, [], {}, c.node), c.machine.training)


def with_added(m: Machine, model: Any, outputs: Any) -> tuple[Tensor, ...]:
    """What comes with these outputs of a model and is added to its loss."""
    return tuple(loss for _, loss in in_graph(m, plain(model), outputs))


def missed(m: Machine, model: Any) -> list[tuple[Span, bool]]:
    """Where a model or a part of it gives a loss that is not known to add_loss(), or only some paths give one, which is
    counted."""
    return not_known(m, (plain(one) for one in within(model)))
