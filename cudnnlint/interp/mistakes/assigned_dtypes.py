"""What a variable of TensorFlow is assigned that is of another dtype."""

from __future__ import annotations

from typing import Any

from cudnnlint.values import Mismatch, Problem, Tensor, Unknown


def of_another_dtype(tensor: Tensor, value: Any, name: str) -> Mismatch | None:
    """A variable takes arrays and numbers as what it is, tensors of its own dtype only
    (tensorflow/python/framework/tensor_conversion_registry.py: convert)."""
    made = tensor.step.maker if tensor.step is not None else None
    if made != "tensorflow.Variable" or not isinstance(value, Tensor) or value.kind != "tf":
        return None
    if isinstance(tensor.dtype, Unknown) or isinstance(value.dtype, Unknown) or tensor.dtype == value.dtype:
        return None
    return Mismatch(
        Problem.DTYPE, f"Variable.{name}: the variable is {tensor.dtype}, the value {value.dtype}",
        help=f"tf.cast(value, tf.{tensor.dtype})",
        error=f'ValueError "Tensor conversion requested dtype {tensor.dtype} for Tensor with dtype {value.dtype}"',
        facts=(("dtypes", (str(tensor.dtype), str(value.dtype))),))
