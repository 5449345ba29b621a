"""What a train_step() of the program's own gives fit() to log."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Tensor, Where


def place_in(m: Machine, function: FunctionV, node: ast.AST, otherwise: Span) -> Span:
    """Where something of a function stands, if that is in the file that is followed."""
    return m.span(node) if function.module is m.frame.module else otherwise


def tell_of_logs(c: Call, method: str, step: Any, made: Any) -> None:
    """A train_step() of the program's own that returns the loss, or nothing (keras/src/backend/tensorflow/trainer.py:
    TensorFlowTrainer.fit makes a dict of it; run with Keras 3.0.5, 3.3, 3.6, 3.12 and 3.15)."""
    m, held = c.machine, plain(made)
    if method != "fit" or m.stack.keras < (3,) or not is_certain(m) or not isinstance(step, FunctionV):
        return
    returns = [node for node in walk(step.node) if isinstance(node, ast.Return)]
    if not isinstance(held, Tensor | float | tuple | None) or len(returns) > 1 or any(
            isinstance(node, ast.Yield | ast.Raise) for node in walk(step.node)):
        return
    given = f"a tensor, {held}," if isinstance(held, Tensor) else "nothing" if held is None else \
        "a tuple," if isinstance(held, tuple) else "a number"
    refuse(m, place_in(m, step, returns[0] if returns else step.node, c.span), Mismatch(
        Problem.UNEXPECTED, f"{step.name}() returns {given} not a dict of what is logged"
        if held is not None else f"{step.name}() returns nothing, fit() takes a dict of what is logged",
        where=Where(keras=">=3"), help='return {"loss": loss}',
        error='TypeError "Cannot iterate over a scalar tensor" or "\'NoneType\' object is not iterable" or '
              "AttributeError \"object has no attribute 'items'\""), what=step.name, stage="fit")
