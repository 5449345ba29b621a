"""Tensors that are asked for an array while autograd keeps their graph."""

from __future__ import annotations

from cudnnlint.frameworks.torch.containers import Chain
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import InstanceV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.torch.frozen import any_frozen, frozen
from cudnnlint.interp.torch.histories import MOST, PAUSED, tracks
from cudnnlint.interp.torch.leaves import is_leaf
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor

KEEPING = frozenset({
    "relu", "sigmoid", "tanh", "softmax", "log_softmax", "squeeze", "unsqueeze", "view", "reshape", "flatten", "cpu",
    "transpose", "permute", "+", "-", "*", "/", "@", "mean", "sum", "getitem", "exp", "log", "cat", "stack",
})
"""Functions that hand the graph on."""
FARTHEST = 40


def tell_of_array(m: Machine, tensor: Tensor, span: Span) -> None:
    """`model(x).numpy()` (torch/csrc/autograd/python_variable.cpp; torch/csrc/utils/tensor_numpy.cpp)."""
    if tracks(m) is not True or any_frozen(m) or not is_certain(m) \
            or not str(tensor.dtype).startswith("float") or not (is_leaf(tensor) or has_graph(m, tensor, FARTHEST)):
        return
    refuse(m, span, Mismatch(
        Problem.VALUELESS, f"numpy() of {tensor}, whose gradient is kept", help="x.detach().numpy()",
        error='RuntimeError "Can\'t call numpy() on Tensor that requires grad"'), about=(tensor,), what="numpy()",
        inputs=tensor)


def has_graph(m: Machine, tensor: Tensor, left: int) -> bool:
    """Whether a module with weights certainly made it, or what it is made of, while autograd recorded."""
    step = tensor.step
    paused: dict[int, Step] = m.state.get(PAUSED, {})
    if step is None or not left or id(step) in paused or len(paused) >= MOST:
        return False
    maker = step.maker
    if isinstance(maker, Chain | InstanceV):
        return isinstance(step.body, Tensor) and has_graph(m, step.body, left - 1)
    if isinstance(maker, LayerV):
        if maker.user is not None:
            return isinstance(step.body, Tensor) and has_graph(m, step.body, left - 1)
        if isinstance(maker.weights, tuple) and maker.weights:
            return maker.path.startswith("torch.nn.") and not frozen(m, maker)
    elif not isinstance(maker, str) or maker.rpartition(".")[2] not in KEEPING:
        return False
    of_operator = isinstance(maker, str)  # not what a module with frozen weights makes
    return any((of_operator and is_leaf(parent)) or has_graph(m, parent, left - 1) for parent in step.parents)
