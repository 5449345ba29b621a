"""What a training step of PyTorch keeps for backward() at the least: it is still there when the forward pass ends."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.backwards import DIFFERENTIABLE
from cudnnlint.interp.functions import AUTOCAST, PLACED
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.refusals import is_meant
from cudnnlint.interp.torch.frozen import frozen
from cudnnlint.interp.torch.histories import PAUSED
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, is_floating
from cudnnlint.values.origins import GPU, PLACE
from cudnnlint.values.sizes import BYTES

MOST = 5000
"""Steps that are gone through."""
LARGE = 1 << 30
"""Bytes from which on anybody is told."""
MEASURED = "torch.measured"
"""Key of the calls of backward() that were looked at."""
INPUT = frozenset(f"torch.nn.{name}" for name in (
    "Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "BatchNorm1d",
    "BatchNorm2d", "BatchNorm3d", "LayerNorm", "GroupNorm"))
"""Modules that keep what they are given, for the gradient of their weights (tools/autograd/derivatives.yaml)."""
RESULT = frozenset({"torch.nn.ReLU", "torch.nn.Sigmoid", "torch.nn.Tanh", "torch.nn.Softmax", "torch.softmax",
                    "torch.relu", "torch.sigmoid", "torch.tanh", "torch.exp", "torch.nn.functional.relu",
                    "torch.nn.functional.softmax"})
"""What keeps its result."""
VIEWS = frozenset({"torch.Tensor.view", "torch.reshape", "torch.flatten", "torch.squeeze", "torch.unsqueeze",
                   "torch.permute", "torch.transpose", "torch.t", "torch.Tensor.expand", "torch.nn.Flatten",
                   "torch.nn.Unflatten", "torch.nn.Identity", "operator.getitem", "torch.Tensor.contiguous",
                   "torch.chunk", "torch.split", "torch.Tensor.to", "torch.nn.Dropout", "torch.select",
                   "torch.narrow", "torch.nn.functional.dropout"})
"""What may give the same memory again, or none of its own."""
ELSEWHERE = ("checkpoint", "save_on_cpu", "offload", "deepspeed", "memory_efficient")
"""What a program says that keeps less on the GPU."""


@record(slots=True)
class Kept:
    """Bytes by the step that made them, the largest tensor, and the weights of modules that were seen on the GPU."""

    sizes: dict[int, int]
    weights: dict[int, int]
    largest: Tensor | None = None
    most: int = 0
    total: int = 0
    there: bool = False

    def add(self, tensor: Tensor, half: bool) -> None:
        size = least_bytes(tensor, half)
        base = _base(tensor)
        size = min(size, least_bytes(base, half) or size)
        if base.step is not None and size > (before := self.sizes.get(id(base.step), 0)):
            self.total += size - before
            self.sizes[id(base.step)] = size
            if size > self.most:
                self.most, self.largest = size, base


def tell_of_kept(m: Machine, loss: Tensor, span: Span) -> None:
    """`loss.backward()` of what may not fit on a GPU."""
    seen: dict[Span, Any] = m.notes.setdefault(MEASURED, {})
    if span in seen or m.handlers or m.uncalled or m.state.get(PLACED) is not True or not is_meant(m):
        return
    if any(frame.module.source.says(word) for frame in m.frames for word in ELSEWHERE):
        return
    seen[span] = True
    kept, outer = _gone_through(m, loss)
    if kept.there and kept.total > LARGE and kept.largest is not None:
        from cudnnlint.events.losses import GraphMeasured

        m.say(GraphMeasured, outer.span if outer is not None else span, about=loss, kept=kept.total,
              weights=sum(kept.weights.values()), largest=kept.largest, backward=span)


def _gone_through(m: Machine, loss: Tensor) -> tuple[Kept, Step | None]:
    """What is kept, and the outermost call of a module that nearly all of it is kept in."""
    kept, shares, steps = Kept({}, {}), dict[int, int](), dict[int, Step]()
    half = AUTOCAST in m.state
    seen = set[int](m.state.get(PAUSED, ()))
    known = len(seen)
    todo: list[tuple[Tensor, Step | None]] = [(loss, None)]
    while todo and len(seen) < known + MOST:
        one, outer = todo.pop()
        step = one.step
        if step is None or id(step) in seen or one.kind != "torch" or is_floating(one.dtype) is False:
            continue
        seen.add(id(step))
        before = kept.total
        if isinstance(step.body, Tensor):
            todo.append((step.body, outer or step))
            continue
        maker: Any = step.maker
        if isinstance(maker, LayerV):
            _by_module(m, kept, maker, one, half)
        elif maker in RESULT:
            kept.add(one, half)
        elif maker not in DIFFERENTIABLE:
            continue
        if outer is not None:
            steps[id(outer)] = outer
            shares[id(outer)] = shares.get(id(outer), 0) + kept.total - before
        todo += ((parent, outer) for parent in step.parents)
    best = max(shares, key=lambda key: shares[key], default=0)
    return kept, steps.get(best)


def _by_module(m: Machine, kept: Kept, layer: LayerV, result: Tensor, half: bool) -> None:
    if layer.path in RESULT:
        kept.add(result, half)
    elif layer.path in INPUT and isinstance(layer.weights, tuple) and layer.weights and not frozen(m, layer):
        kept.there = kept.there or layer.extra.get(PLACE) == GPU
        kept.weights[id(layer)] = sum(_product(weight.shape) * (2 if half else 4) for weight in layer.weights)
        for parent in result.step.parents if result.step is not None else ():
            kept.add(parent, half)


def _base(tensor: Tensor) -> Tensor:
    """The tensor that it is a view of."""
    for _ in range(MOST):
        step = tensor.step
        name = step.maker.path if step is not None and isinstance(step.maker, LayerV) else getattr(step, "maker", None)
        if step is None or name not in VIEWS or len(step.parents) != 1:
            return tensor
        tensor = step.parents[0]
    return tensor


def least_bytes(tensor: Tensor, half: bool) -> int:
    """Of float16 where that may be it; 0 where an extent is not known."""
    width = BYTES.get(tensor.dtype, 2) if isinstance(tensor.dtype, str) else 2
    return _product(tensor.shape) * (min(width, 2) if half else width)


def _product(shape: Any) -> int:
    size = 1
    for extent in shape if isinstance(shape, tuple) else (0,):
        size *= extent if type(extent) is int else 0
    return size


__all__ = ["tell_of_kept"]
