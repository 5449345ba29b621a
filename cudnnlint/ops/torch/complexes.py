"""Complex numbers of PyTorch: polar, view_as_complex, view_as_real, as rotary embeddings use them."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import DType, Mismatch, Problem, Tensor, Unknown

WIDER = {"float32": "complex64", "float64": "complex128"}
PARTS = {complex_: real for real, complex_ in WIDER.items()}


@function("torch.polar", "torch.complex")
def of_two(abs: Any, angle: Any, *, out: Any = None) -> Outcome:
    """Two tensors of floats as one (aten/src/ATen/native/TensorFactories.cpp: complex, polar)."""
    if not isinstance(abs, Tensor) or not isinstance(angle, Tensor):
        return Unknown("a complex tensor")
    shape = broadcast(abs.shape, angle.shape)
    if shape is None:
        return Unknown("shapes that do not go together")
    dtype = WIDER.get(str(abs.dtype)) if abs.dtype == angle.dtype else None
    return abs.with_(shape=shape, dtype=dtype or Unknown("a complex dtype"))


@function("torch.view_as_complex")
def view_as_complex(input: Any) -> Outcome:
    """(..., 2) -> (...) (aten/src/ATen/native/ComplexHelper.h)."""
    if not isinstance(input, Tensor) or isinstance(input.shape, Unknown):
        return Unknown("a complex tensor")
    dtype: DType = WIDER.get(str(input.dtype)) or Unknown("a complex dtype")
    if input.shape and isinstance(last := input.shape[-1], int) and last != 2:
        return Mismatch(Problem.INVALID_ARGUMENT, f"view_as_complex: the last axis of {input} has {last}, not 2",
                        argument="input", help="x.reshape(*x.shape[:-1], -1, 2)",
                        error='RuntimeError "Tensor must have a last dimension of size 2"')
    return input.with_(shape=input.shape[:-1], dtype=dtype) if input.shape else Unknown("a complex tensor")


@function("torch.view_as_real")
def view_as_real(input: Any) -> Outcome:
    if not isinstance(input, Tensor) or isinstance(input.shape, Unknown):
        return Unknown("parts of a complex tensor")
    return input.with_(shape=(*input.shape, 2), dtype=PARTS.get(str(input.dtype)) or Unknown("a dtype"))
