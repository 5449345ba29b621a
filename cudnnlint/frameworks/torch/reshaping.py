"""Methods that give a tensor another shape in place: resize_(), unsqueeze_(), t_() and the like."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.names import assign
from cudnnlint.interp.registry import Call
from cudnnlint.values import Tensor, Unknown

LIKE = {name: f"torch.{name.rstrip('_')}"
        for name in ("unsqueeze_", "squeeze_", "t_", "transpose_", "swapaxes_", "swapdims_")}
"""Methods that do in place what another does to a copy."""


@FRAMEWORK.on(*(f"torch.Tensor.{name}" for name in LIKE))
def reshaped(c: Call) -> Any:
    name = c.path.rpartition(".")[2]
    return _held(c, apply_function(c.machine, LIKE[name], [c.receiver, *c.args], c.kwargs, c.node))


@FRAMEWORK.on("torch.Tensor.resize_", "torch.Tensor.resize_as_", "torch.Tensor.set_")
def resized(c: Call) -> Any:
    """aten/src/ATen/native/Resize.cpp: resize_; what is new in it is not initialised."""
    tensor, given = plain(c.receiver), [strip(arg) for arg in c.args]
    shape: Any = Unknown("the size that a tensor is given in place")
    if len(given) == 1 and isinstance(given[0], tuple | list):
        shape = tuple(given[0])
    elif len(given) == 1 and isinstance(given[0], Tensor):
        shape = given[0].shape
    elif given and all(isinstance(dim, int) for dim in given):
        shape = tuple(given)
    return _held(c, assume(Tensor(shape, tensor.dtype, "torch"), assumptions_of(c.receiver).union(
        *map(assumptions_of, c.args))))


def _held(c: Call, made: Any) -> Any:
    """The name that the method is called on holds it from here on; x.data is what x holds."""
    called = getattr(c.node, "func", None)
    target = called.value if isinstance(called, ast.Attribute) else None
    if isinstance(target, ast.Attribute) and target.attr == "data":
        target = target.value
    if isinstance(target, ast.Name | ast.Attribute):
        assign(c.machine, target, made)
    return made
