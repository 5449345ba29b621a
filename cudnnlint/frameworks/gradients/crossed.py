"""Gradients of one model that are applied to the variables of another one, which have other shapes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from cudnnlint.frameworks.gradients.tapes import GradientsV, VariablesV
from cudnnlint.interp.keras.parts import weights_of
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import Weight
from cudnnlint.values import Mismatch, Problem


def check_crossed(c: Call) -> None:
    """`apply_gradients(zip(critic_gradients, generator.trainable_variables))`
    (keras/src/optimizers/base_optimizer.py: BaseOptimizer.apply); of a copy of the model they fit."""
    node = c.node.args[0] if isinstance(c.node, ast.Call) and c.node.args else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "zip" \
            or len(node.args) != 2 or not all(isinstance(arg, ast.Name | ast.Attribute) for arg in node.args):
        return
    m = c.machine
    grads, variables = (plain(m.eval(arg)) for arg in node.args)  # names, which are read once more
    if not isinstance(grads, GradientsV) or not isinstance(variables, VariablesV) or m.trying or m.handlers:
        return
    one = _alone(_weights(grads.descent.owners), _weights(variables.owners))
    if one is not None:
        refuse(m, c.span, Mismatch(
            Problem.UNEXPECTED, "apply_gradients() is given gradients of one model and variables of another, which do "
            f"not fit: {one.name} of {_shown(one)} is in one of them only",
            help="ask gradient() for the variables that are given to apply_gradients()",
            error='InvalidArgumentError "Incompatible shapes", in a graph ValueError "Shapes must be equal rank" or '
                  '"Dimensions must be equal"'),
            what="Optimizer.apply_gradients", stage="call")


def _alone(left: list[Weight], right: list[Weight]) -> Weight | None:
    """A variable that zip() certainly pairs, for which there is none of its shape on the other side."""
    few, many = sorted((left, right), key=len)
    if not few or len(few) > sum(weight.trainable for weight in many):
        return None
    shapes = {weight.shape for weight in many}
    return next((weight for weight in few if weight.trainable and weight.shape not in shapes), None)


def _weights(owners: Sequence[Any]) -> list[Weight]:
    """Those of all owners, none unless the shapes of all are known."""
    found: list[Weight] = []
    seen: set[int] = set()
    for owner in owners:
        weights = weights_of(owner, seen)
        if not isinstance(weights, tuple) or not all(_is_known(weight) for weight in weights):
            return []
        found += weights
    return found


def _is_known(weight: Weight) -> bool:
    return isinstance(weight.shape, tuple) and all(isinstance(extent, int) for extent in weight.shape)


def _shown(weight: Weight) -> str:
    return f"({', '.join(map(str, weight.shape))})"
