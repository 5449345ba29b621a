"""What compile() is given by name: whether there is such an optimizer, loss or metric, and weights for one loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cudnnlint.frameworks.keras.making import model_of
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.keras.own_names import names_its_own
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.given_names import misnamed_in_compile
from cudnnlint.values import Mismatch, Problem, Tensor, Where

BY_NAME = ("optimizer", "loss", "metrics", "weighted_metrics")
KERAS_3 = Where(keras=">=3")


def check_names(c: Call, arguments: Mapping[str, Any], found: set[Any]) -> None:
    m, given = c.machine, {name: strip(arguments.get(name)) for name in BY_NAME}
    default = own_step(c.receiver, "fit") is None
    for stage, wrong in (*misnamed_in_compile(given, names_its_own(m), m.stack.implied),
                         *_weights(c, given["loss"], strip(arguments.get("loss_weights")))):
        if default or stage == "compile":
            refuse(m, c.span, wrong, what="Model.compile", stage=stage, assumptions=frozenset(found))


def _weights(c: Call, loss: Any, weights: Any) -> Iterator[tuple[str, Mismatch]]:
    """Of a model whose outputs are known; those of others are known in fit()."""
    model = model_of(c.receiver)
    if model is not None and isinstance(model.outputs, Tensor):
        yield from (("fit", wrong) for wrong in weights_of_one(loss, weights))


def weights_of_one(loss: Any, weights: Any) -> Iterator[Mismatch]:
    """A list of weights for one loss (keras/src/trainers/compile_utils.py: CompileLoss.build)."""
    if isinstance(loss, str | ObjectV | FunctionV) and isinstance(weights, list | tuple) and len(weights) > 1 \
            and all(isinstance(weight, int | float) for weight in weights):
        yield Mismatch(
            Problem.OUTPUTS, f"{len(weights)} loss_weights for one loss", where=KERAS_3, argument="loss_weights",
            error=f'ValueError "`loss_weights` must match the number of losses, got 1 losses and {len(weights)} '
                  'weights."')
