"""Weights of classes that losses of PyTorch are given, and outputs that are no floats."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast, may_equal
from cudnnlint.values import Mismatch, Problem, Tensor, is_floating


def foreign(value: Any) -> str:
    """What stands where only a tensor of PyTorch is taken, as a message has it; "" where it may be one."""
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__}"
    return f"the array {value} of NumPy" if isinstance(value, Tensor) and value.kind == "numpy" else ""


def class_weights(name: str, x: Tensor, weight: Any) -> Mismatch | None:
    """One weight for each class, of the dtype of the outputs (aten/src/ATen/native/LossNLL.cpp)."""
    if not isinstance(weight, Tensor) or not isinstance(x.shape, tuple) or len(x.shape) < 2:
        return None
    classes = x.shape[1]
    if isinstance(weight.shape, tuple) and isinstance(classes, int) and (
            len(weight.shape) != 1 or not may_equal(weight.shape[0], classes)):
        return Mismatch(Problem.CHANNELS, f"{name} has weights {weight}, the output has {classes} classes",
                        help=f"{classes} weights, one for each class",
                        error=f'RuntimeError "weight tensor should be defined either for all {classes} classes or no '
                              f'classes"', facts=(("expected", classes), ("actual", weight.shape)))
    if isinstance(weight.dtype, str) and isinstance(x.dtype, str) and is_floating(x.dtype) and weight.dtype != x.dtype:
        return Mismatch(Problem.DTYPE, f"{name} of {x} has weights of dtype {weight.dtype}",
                        help="weight.float()" if x.dtype == "float32" else f"weight.to({x.dtype})",
                        error='RuntimeError "expected scalar type Float but found Double"')
    return None


def no_tensor(loss: str, name: str, value: Any) -> Mismatch | None:
    """A list or a number as one of the buffers of a loss (torch/nn/modules/module.py: register_buffer)."""
    kind = f"the number {value}" if type(value) in (int, float) else foreign(value)
    if not kind:
        return None
    shown = "numpy.ndarray" if isinstance(value, Tensor) else type(value).__name__
    return Mismatch(Problem.UNEXPECTED, f"{loss} is given {kind} as {name}, not a tensor", argument=name,
                    help="torch.tensor(..., dtype=torch.float32) makes a tensor of it",
                    error=f"TypeError \"cannot assign '{shown}' object to buffer '{name}' (torch Tensor or None "
                          'required)"')


def binary_weights(loss: str, x: Tensor, weight: Any, positive: Any) -> Mismatch | None:
    """Weights that are brought to the shape of the outputs: of BCELoss by torch/nn/functional.py:
    binary_cross_entropy, which expands them, else by aten/src/ATen/native/Loss.cpp."""
    for name, given in (("weight", weight), ("pos_weight", positive)):
        if not isinstance(given, Tensor) or not isinstance(given.shape, tuple) or not isinstance(x.shape, tuple) \
                or broadcast(given.shape, x.shape) is not None:
            continue
        error = 'RuntimeError "Attempting to broadcast a dimension of length"' if loss == "BCELoss" else \
            'RuntimeError "must match the size of tensor b" or "output with shape"'
        return Mismatch(Problem.BROADCAST, f"{loss} has {name} {given}, the output is {x}", argument=name,
                        help="one for each class, or one for all", error=error)
    return None


def whole_numbers(name: str, x: Tensor) -> Mismatch | None:
    """Outputs that are integers: the targets, mostly, in their place (aten/src/ATen/native/SoftMaxKernel: softmax is
    of floats)."""
    if not isinstance(x.dtype, str) or not x.dtype.startswith(("int", "uint", "bool")):
        return None
    return Mismatch(Problem.DTYPE, f"{name} of outputs of dtype {x.dtype}: {x}",
                    help="the output comes first: loss(output, target)",
                    error=f"NotImplementedError \"not implemented for '{'Long' if x.dtype == 'int64' else 'Int'}'\" or "
                          'RuntimeError "expected floating point type"')
