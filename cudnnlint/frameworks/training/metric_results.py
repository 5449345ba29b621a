"""Metrics that a program calls itself: the labels and outputs that they are to compare, and what they have counted."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.gradients.optimizers_built import made_in_graph
from cudnnlint.frameworks.gradients.unreached import COUNTED
from cudnnlint.frameworks.keras.gone import METRIC
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.training.metrics import misfits
from cudnnlint.interp.convert import strip
from cudnnlint.interp.graphs.bodies import variable_made
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Step, Tensor, Unknown

WHY = "what a metric counted"


@FRAMEWORK.on(f"{METRIC}.__call__")
def call(c: Call) -> Any:
    _tell_of_misfit(c)
    return result(c)


def _tell_of_misfit(c: Call) -> None:
    """`accuracy.update_state(labels, outputs)` of a SparseCategoricalAccuracy with labels that are one-hot."""
    found: set[Any] = set()
    y, output = (strip(c.get(at, name), found) for at, name in enumerate(("y_true", "y_pred")))
    if not isinstance(y, Tensor) or not isinstance(output, Tensor) or not is_meant(c.machine):
        return
    metric = plain(c.receiver)
    for wrong in misfits(metric, y, output):
        if refuse(c.machine, c.span, wrong, about=(y, output), what=metric.path.rpartition(".")[2], stage="called",
                  assumptions=frozenset(found)):
            return


@FRAMEWORK.on(f"{METRIC}.result")
def result(c: Call) -> Any:
    """Read from variables that update_state() assigns to (keras/src/metrics/metric.py: Metric.result); told apart only
    where a loss is followed."""
    _tell_of_made(c)
    if c.machine.phase != "call" or not c.machine.any_batch or not isinstance(plain(c.receiver), ObjectV):
        return Unknown(WHY)
    return Tensor(Unknown(WHY), "float32", "tf", None, Step(c.span, (), COUNTED, ((), {})))


@FRAMEWORK.on(f"{METRIC}.update_state")
def update_state(c: Call) -> Any:
    _tell_of_made(c)
    _tell_of_misfit(c)
    return Unknown(WHY)


def _tell_of_made(c: Call) -> None:
    """A metric makes its variables as it is made (keras/src/metrics/metric.py: Metric.add_variable)."""
    if c.machine.bodies and made_in_graph(c.machine, c.receiver, c.span):
        variable_made(c.machine, plain(c.receiver).span, "a metric, with its variables,")


__all__ = ["result"]
