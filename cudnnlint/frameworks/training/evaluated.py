"""What evaluate() gives: the loss as a number, or a list of it and of the metrics."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import ModelView
from cudnnlint.frameworks.training.logged import logs_of
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.convert import strip
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.registry import Call
from cudnnlint.interp.unpacking import EVALUATED
from cudnnlint.values import Step, Tensor, Unknown


def evaluated(c: Call, seen: ModelView, arguments: dict[str, Any]) -> Any:
    """One number without metrics, else one for each after the loss (keras/src/trainers/trainer.py:
    Trainer._flatten_metrics_in_order; tf_keras/src/engine/training.py: flatten_metrics_in_order)."""
    unknown = Unknown("evaluate()")
    compiled = seen.compiled or {}
    metrics = strip(compiled.get("metrics"))
    logs = logs_of(c, seen, arguments)
    if logs is None or not isinstance(seen.outputs, Tensor) or own_step(c.receiver, "evaluate") is not None \
            or plain(arguments.get("return_dict", False)) is not False or compiled.get("loss") is None \
            or compiled.get("weighted_metrics") is not None or c.machine.frames[0].module.source.says("add_metric"):
        return unknown
    if metrics is None or metrics == []:
        return _number(c, EVALUATED)
    if isinstance(metrics, list | tuple) and len(logs.names) == len(metrics):
        return ListV([_number(c) for _ in (None, *metrics)])
    return unknown


def _number(c: Call, maker: str | None = None) -> Tensor:
    """A float of Python's, which takes on the dtype of what it is calculated with."""
    return Tensor((), Unknown("a number"), "numpy", None, Step(c.span, (), maker))


__all__ = ["evaluated"]
