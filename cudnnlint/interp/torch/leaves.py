"""PyTorch: leaves of the graph, which ask for gradients and may not be changed in place while autograd records."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events import Event, Rejected
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import PARAMETER
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import is_certain, of_line, refuse
from cudnnlint.interp.torch.frozen import any_frozen, frozen
from cudnnlint.interp.torch.histories import tracks
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor

HELD = "torch.nn.Module.weight"
"""Maker of the weight of a module, which is its only argument."""
REQUIRED = "torch.Tensor.requires_grad_"
"""Maker of a tensor that requires_grad_() was called on."""
CREATING = frozenset(f"torch.{name}" for name in (
    "tensor", "zeros", "ones", "empty", "rand", "randn", "full", "linspace", "arange", "eye", "zeros_like",
    "ones_like", "rand_like", "randn_like", "full_like", "normal"))


def is_leaf(tensor: Tensor) -> bool:
    """Whether the program made it a leaf that certainly requires its gradient."""
    step = tensor.step
    if step is None or tensor.kind != "torch" or not isinstance(step.maker, str):
        return False
    asked = step.arguments[1].get("requires_grad") if step.arguments else None
    if step.maker == PARAMETER:
        return asked in (None, True)
    return step.maker in (REQUIRED, HELD) or (step.maker in CREATING and asked is True)


def tell_of_leaf(m: Machine, tensor: Tensor, span: Span, what: str, *, part: bool = False) -> bool:
    """`w -= rate * w.grad` (torch/csrc/autograd/VariableTypeUtils.h: check_inplace).

    part  whether it is done to elements of it, a view
    """
    if not is_leaf(tensor) or tracks(m) is not True or _may_be_frozen(m, tensor) or m.trying or m.handlers \
            or m.uncalled:
        return False
    view = "a view of " if part else ""
    return refuse(m, span, Mismatch(
        Problem.IN_PLACE, f"{what} changes {tensor} in place, whose gradient is kept",
        help="do it under with torch.no_grad():" if not part else
        "do it under with torch.no_grad():, or to a clone() of it",
        error=f'RuntimeError "{view}a leaf Variable that requires grad is being used in an in-place operation."'),
        about=(tensor,), what=what, inputs=tensor)


def _may_be_frozen(m: Machine, tensor: Tensor) -> bool:
    """Whether the program may have asked for no gradient of it."""
    step = tensor.step
    held = step.arguments[0][0] if step is not None and step.maker == HELD and step.arguments else None
    return any_frozen(m) or (held is not None and frozen(m, held))


def tell_of_ungraded(m: Machine, node: ast.Attribute, read: ast.Attribute) -> None:
    """`w.grad.zero_()` at the top level of a script that called no backward() above: grad is None until then."""
    source = m.frame.module.source
    if not isinstance(read.value, ast.Name) or m.frame.function is not None or source is None or not is_certain(m):
        return
    tensor, above = plain(m.frame.scope.items.get(read.value.id)), "\n".join(source.text.splitlines()[:node.lineno - 1])
    if not isinstance(tensor, Tensor) or not is_leaf(tensor) or any(word in above for word in GRADING) \
            or source.path.endswith(".ipynb"):
        return
    refuse(m, m.span(node), Mismatch(
        Problem.NO_GRADIENTS, f"{read.value.id}.grad is None here: no backward() was called yet",
        help="after backward(), or if it is not None", facts=(("moment", "when it is read"),),
        error=f"AttributeError \"'NoneType' object has no attribute '{node.attr}'\""), what=node.attr)


GRADING = ("backward", "autograd", ".grad =", ".grad=", "setattr", "def ", "exec")
"""What a script says that may give a tensor its gradient."""
CHANGED = "torch.changed"
"""Key of the results that were changed in place, by their steps: those and where."""
SAVED = frozenset({"relu", "sigmoid", "tanh", "exp", "sqrt", "softmax", "log_softmax", "ReLU", "Sigmoid", "Tanh",
                   "Softmax", "LogSoftmax"})
"""Functions and modules that calculate gradients from their results (tools/autograd/derivatives.yaml)."""


def note_changed(m: Machine, tensor: Tensor, span: Span, what: str) -> None:
    """`h += x` of what sigmoid() gave, be it the last part of a module: backward() through it fails."""
    step = tensor.step
    while step is not None and isinstance(step.body, Tensor):
        step = step.body.step
    maker = step.maker if step is not None else None
    name = maker.path if isinstance(maker, LayerV) and maker.user is None else maker
    if not isinstance(name, str) or not name.startswith("torch.") or name.rpartition(".")[2] not in SAVED \
            or tracks(m) is not True or any_frozen(m) or m.trying \
            or m.uncertain != (m.loops[-1].uncertain if m.loops else 0):
        return
    changed: dict[int, Changed] = m.state.setdefault(CHANGED, {})
    if step is not None and len(changed) < MOST:
        changed[id(step)] = Changed(step, m.event(Rejected, span, mismatch=Mismatch(
            Problem.IN_PLACE, f"{what} changes what {name.rpartition('.')[2]}() gave in place, which backward() needs",
            help=f"x = x {what[0]} ..., which makes a new tensor" if what.endswith("=") else "change a clone() of it",
            error='RuntimeError "one of the variables needed for gradient computation has been modified by an inplace '
                  'operation"'), about=(tensor,), what=what, inputs=tensor))


def tell_of_needed(m: Machine, span: Span, tensor: Tensor, step: Step, stepped: Span) -> None:
    """backward() of a loss whose modules an optimizer trained since it was calculated."""
    name = step.maker.path.rpartition(".")[2]
    refuse(m, span, Mismatch(
        Problem.IN_PLACE, f"backward() needs the weights of the {name}{of_line(span, step.span)} as they were before "
        f"the step(){of_line(span, stepped)}",
        help="call backward() of this loss before step(), or calculate it anew after step()",
        error='RuntimeError "one of the variables needed for gradient computation has been modified by an inplace '
              'operation"'), about=(tensor,), what="backward()", inputs=tensor)


MOST = 1000
"""Changes that are remembered."""


@record(frozen=True, slots=True)
class Changed:
    """A step whose result was changed, and what is told of it once backward() comes there."""

    step: Step
    event: Event


def is_parameter(tensor: Tensor) -> bool:
    return tensor.step is not None and tensor.step.maker == PARAMETER


def written_into(held: Tensor, made: Tensor) -> Tensor:
    """What holds the result of an operation in place: a parameter stays one."""
    return Tensor(made.shape, made.dtype, held.kind, None, held.step, held.assumptions | made.assumptions) \
        if is_parameter(held) else made


def as_leaf(value: Any, span: Span) -> Any:
    """The same tensor, a leaf from now on."""
    if isinstance(value, Tensor) and value.step is not None and is_parameter(value):
        return value.with_(content=None, step=Step(value.step.span, value.step.parents, PARAMETER,
                                                   ((), {"requires_grad": True})))
    return value.with_(step=Step(span, (value,), REQUIRED)) if isinstance(value, Tensor) else value


__all__ = ["CHANGED", "HELD", "Changed", "as_leaf", "is_leaf", "is_parameter", "note_changed", "tell_of_leaf",
           "tell_of_needed", "tell_of_ungraded", "written_into"]
