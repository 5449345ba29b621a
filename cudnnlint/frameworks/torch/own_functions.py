"""torch.autograd.Function: what the program computes, and differentiates, by methods of its own."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.grad import StateV, untracked
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.objects import MISSING, ClassV, FunctionV, NamespaceV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.histories import GRAD
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.tensor import tensors

OWN = "torch.autograd.Function.apply"


@FRAMEWORK.on(OWN)
def apply(c: Call) -> Any:
    """`Round.apply(x)`: forward() runs without a graph, and backward() stands for its gradients
    (torch/autograd/function.py: Function.apply). One with setup_context() has no ctx in forward()."""
    cls = plain(c.receiver)
    forward = cls.lookup("forward") if isinstance(cls, ClassV) else MISSING
    if not isinstance(forward, FunctionV) or forward.kind != "static":
        return Unknown("forward() of a function of the program's own")
    context = [] if cls.lookup("setup_context") is not MISSING else [NamespaceV({}, Unknown("a context"))]
    m, state = c.machine, StateV(OWN, GRAD, False)
    state.entered(m)
    try:
        made = m.call(forward, [*context, *c.args], c.kwargs, c.node)
    finally:
        state.left(m)
    found: set[Any] = set()
    given = tensors([strip(arg) for arg in (*c.args, *c.kwargs.values())])
    step = Step(c.span, given, OWN)
    return wrap(assume(untracked(m, _tracked(strip(made, found), step), c.span), frozenset(found)))


def _tracked(value: Any, step: Step) -> Any:
    """What it gives has the graph of what it was given behind it."""
    if isinstance(value, Tensor):
        return Tensor(value.shape, value.dtype, value.kind, None, step, value.assumptions)
    return type(value)(_tracked(item, step) for item in value) if type(value) in (list, tuple) else value
