"""What gradient() and apply_gradients() are given in the wrong places: variables for the loss, a model for them."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events.training import GRADIENT, VARIABLE
from cudnnlint.frameworks.gradients.tapes import GradientsV, VariablesV
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

NO_ID = "AttributeError \"object has no attribute '_id'\""


def check_asked(c: Call) -> bool:
    """Whether nothing comes of it: `tape.gradient(loss, model)`, `tape.gradient(model.trainable_variables, loss)`
    (tensorflow/python/eager/backprop.py: GradientTape.gradient)."""
    target, sources = plain(c.get(0, "target")), plain(c.get(1, "sources"))
    held = sources.extra if isinstance(sources, InstanceV) else sources
    if isinstance(held, ModelV | LayerV):
        return _tell(c, "gradient() is given a model, not its variables", "model.trainable_variables", NO_ID)
    if (isinstance(target, Tensor) and target.kind == "numpy") or (isinstance(target, Unknown) and target.number):
        what = f"the array {target}" if isinstance(target, Tensor) else "a number of Python"
        return _tell(c, f"gradient() is asked of {what}, whose computation no tape has recorded",
                     "the tensor itself, without float(), item() or numpy()",
                     "AttributeError \"'numpy.float32' object has no attribute '_id'\" or TypeError \"Cannot convert "
                     'the argument `type_value`"')
    if _are(target, VariablesV, VARIABLE) and not _are(sources, VariablesV, VARIABLE) \
            and ((isinstance(sources, Tensor) and sources.step is not None and sources.step.maker != VARIABLE)
                 or _are(sources, GradientsV, GRADIENT)):
        return _tell(c, "gradient() is asked of variables, with respect to what is computed from them",
                     "tape.gradient(loss, variables)", 'TypeError "\'NoneType\' object is not iterable", or ValueError '
                     "as the gradients are None")
    return False


def check_applied(c: Call) -> None:
    """`apply_gradients(grads)`, `apply_gradients(zip(variables, grads))`
    (keras/src/optimizers/base_optimizer.py: BaseOptimizer.apply_gradients)."""
    node = c.node.args[0] if isinstance(c.node, ast.Call) and c.node.args else None
    if isinstance(plain(c.get(0, "grads_and_vars")), GradientsV):
        _tell(c, "apply_gradients() is given gradients without their variables",
              "apply_gradients(zip(gradients, variables))", 'ValueError "too many values to unpack" or "not enough '
              'values to unpack", TypeError "Cannot iterate over a scalar tensor" or AttributeError "has no attribute '
              '\'_unique_id\'"')
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip" \
            and len(node.args) == 2 and all(isinstance(arg, ast.Name | ast.Attribute) for arg in node.args):
        first, second = (plain(c.machine.eval(arg)) for arg in node.args)  # names, which are read once more
        if _are(first, VariablesV, VARIABLE) and _are(second, GradientsV, GRADIENT):
            _tell(c, "apply_gradients() is given pairs of a variable and its gradient",
                  "the gradient comes first: zip(gradients, variables)",
                  "AttributeError \"'EagerTensor' object has no attribute '_unique_id'\" or 'assign_sub'")


def _are(value: Any, kind: type, maker: str) -> bool:
    """Variables of a model, or a list of tensors that such a step made."""
    items = value.items if isinstance(value, ListV) and not value.unknown else value
    return isinstance(value, kind) or (isinstance(items, list | tuple) and bool(items) and all(
        isinstance(item := plain(each), Tensor) and item.step is not None and item.step.maker == maker
        for each in items))


def _tell(c: Call, message: str, remedy: str, error: str) -> bool:
    m: Machine = c.machine
    return not m.trying and not m.handlers and refuse(
        m, c.span, Mismatch(Problem.UNEXPECTED, message, help=remedy, error=error), what="GradientTape.gradient",
        stage="call")
