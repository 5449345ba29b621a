"""Functions of PyTorch that give two reductions at once, and bounds on one side."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions.dtypes import real_part
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch.maths import clamp, reduced
from cudnnlint.values import Tensor, Unknown


@function("torch.var_mean", "torch.std_mean")
def var_mean(input: Any, dim: Any = None, unbiased: Any = True, keepdim: Any = False, *, correction: Any = 1,
             out: Any = None) -> Outcome:
    """Both over the same axes (aten/src/ATen/native/ReduceOps.cpp: std_var_mean_out); a bool in place of `dim` is
    `unbiased`."""
    if not isinstance(input, Tensor):
        return Unknown("an unknown tensor")
    made = reduced(input, None if isinstance(dim, bool) else dim, keepdim, real_part(input.dtype))
    if not isinstance(made, Tensor):
        return made
    return made, made.with_(dtype=input.dtype)


@function("torch.aminmax")
def aminmax(input: Any, *, dim: Any = None, keepdim: Any = False, out: Any = None) -> Outcome:
    """The least and the largest (aten/src/ATen/native/TensorCompare.cpp: aminmax)."""
    if not isinstance(input, Tensor):
        return Unknown("an unknown tensor")
    made = reduced(input, dim, keepdim, input.dtype)
    return (made, made.with_()) if isinstance(made, Tensor) else made


@function("torch.clamp_min")
def clamp_min(input: Any, min: Any, *, out: Any = None) -> Outcome:
    return clamp(input, min)


@function("torch.clamp_max")
def clamp_max(input: Any, max: Any, *, out: Any = None) -> Outcome:
    return clamp(input, None, max)
