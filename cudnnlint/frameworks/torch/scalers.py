"""torch.amp.GradScaler: gradients of weights that are float16 themselves cannot be unscaled."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

SCALER = "torch.amp.GradScaler"
TOLD = "torch.unscaled"
"""Key of the optimizers that it was told of, and where."""


@FRAMEWORK.on(SCALER)
def scaler(c: Call) -> ObjectV:
    return ObjectV(SCALER, tuple(c.args), dict(c.kwargs), c.span)


@FRAMEWORK.on(f"{SCALER}.scale")
def scaled(c: Call) -> Any:
    """The loss by a number; losses one by one, in whatever holds them (GradScaler.scale)."""
    return _times(c, c.get(0, "outputs"))


def _times(c: Call, given: Any) -> Any:
    held = plain(given)
    if isinstance(held, Tensor):
        return apply_function(c.machine, "operator.*", [given, Tensor((), "float32", "torch")], {}, c.node)
    if isinstance(held, tuple):
        return tuple(_times(c, each) for each in held)
    return Unknown("what a scaler makes of a loss")


@FRAMEWORK.on(f"{SCALER}.unscale_", f"{SCALER}.step")
def unscaled(c: Call) -> None:
    """torch/amp/grad_scaler.py: GradScaler._unscale_grads_; step() unscales what unscale_() has not."""
    m, held, optimizer = c.machine, plain(c.receiver), plain(c.get(0, "optimizer"))
    if not isinstance(held, ObjectV) or plain(held.kwargs.get("enabled", True)) is not True or len(held.args) > 1 \
            or not isinstance(optimizer, ObjectV) or not _in_half(optimizer) or m.handlers or not is_meant(m):
        return
    told: dict[int, Any] = m.notes.setdefault(TOLD, {})
    if told.setdefault(id(optimizer), (c.span, optimizer))[0] != c.span:
        return
    refuse(m, c.span, Mismatch(
        Problem.DTYPE, "gradients of float16 weights are unscaled: the optimizer's parameters are float16",
        help="leave the weights in float32, torch.autocast casts what may be float16: no model.half()",
        error='ValueError "Attempting to unscale FP16 gradients."'), what="GradScaler", inputs=None)


def _in_half(optimizer: ObjectV) -> bool:
    """Whether all parameters that it was given are float16."""
    given = plain(optimizer.args[0] if optimizer.args else optimizer.kwargs.get("params"))
    if not isinstance(given, ListV) or given.unknown or not given.items:
        return False
    return all(isinstance(one := plain(item), Tensor) and one.dtype == "float16" for item in given.items)


__all__ = ["scaler", "unscaled"]
