"""What a function refuses of the dtype of one tensor: integers where floats are computed, bools where numbers are."""

from __future__ import annotations

from typing import Any

from cudnnlint.values import DType, Mismatch, Problem, Tensor, is_floating, is_integer

FLOATS = frozenset({
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "floor", "sigmoid", "sin", "sinh", "sqrt",
    "tan", "tanh", *(f"nn.{name}" for name in ("elu", "gelu", "selu", "silu", "softplus", "softsign", "softmax"))})
OF_MATH = frozenset({
    "ceil", "digamma", "erf", "erfc", "erfinv", "expm1", "is_finite", "is_inf", "is_nan", "lgamma", "log", "log1p",
    "log_sigmoid", "ndtri", "reciprocal_no_nan", "rint", "rsqrt"})
"""Functions of tf and tf.math that have no integers (run with TensorFlow 2.21 for int32, int64, uint8 and bool, arrays
and Python's numbers among them; tensorflow/core/ops/math_ops.cc: UNARY, UNARY_REAL; nn_ops.cc)."""
NUMBERS = frozenset(("abs", "negative", "sign"))
"""Those that have no bools."""


def of_tensorflow(name: str, x: Tensor) -> Mismatch | None:
    """`tf.sqrt(tf.shape(x)[-1])`. A symbolic tensor of Keras is refused for what it is, or cast by a layer."""
    floats = name in FLOATS or name in OF_MATH
    refused = x.dtype == "bool" if name in NUMBERS else floats and (x.dtype == "bool" or is_integer(x.dtype) is True)
    if not refused or x.kind == "keras":
        return None
    called = f"tf.math.{name}" if name in OF_MATH else f"tf.{name}"
    return Mismatch(
        Problem.DTYPE, f"{called} computes {'floats' if floats else 'numbers'}, got {x}",
        help="tf.cast(x, tf.float32) first",
        error=f"InvalidArgumentError \"Value for attr 'T' of {x.dtype} is not in the list of allowed values\" or in a "
              f'graph TypeError "has DataType {x.dtype} not in list of allowed values"')


def of_difference(a: Any, b: Any, x: Tensor, y: Tensor, library: str, name: str) -> Mismatch | None:
    """`1 - mask` of bools: PyTorch and TensorFlow have no such difference, nor has NumPy one of two."""
    bools = [one for one in (a, b) if isinstance(one, Tensor) and one.dtype == "bool"]
    told = f"{name} does not take bools, got {bools[0]}" if bools else ""
    if library == "torch" and any(one.kind == "torch" for one in bools):
        return Mismatch(Problem.DTYPE, told, help="~mask, or mask.float() first",
                        error='RuntimeError "Subtraction, the `-` operator, with a bool tensor is not supported"')
    if library == "tf" and any(one.kind == "tf" for one in bools) and all(
            isinstance(one, int | float) or (isinstance(one, Tensor) and one.kind == "tf") for one in (a, b)):
        return Mismatch(Problem.DTYPE, told, help="tf.cast(mask, tf.float32) first, or tf.logical_not(mask)",
                        error='InvalidArgumentError "Value for attr \'T\' of bool is not in the list of allowed '
                              'values", "was expected to be" or TypeError "Cannot convert"')
    if library == "numpy" and x.dtype == y.dtype == "bool" and len(bools) == 2:
        return Mismatch(Problem.DTYPE, told, help="~mask, or a ^ b",
                        error='TypeError "numpy boolean subtract, the `-` operator, is not supported"')
    return None


def of_classes(name: str, labels: Any, made: Any) -> Any:
    """Class numbers for TensorFlow's own crossentropy, which are no floats (tensorflow/core/ops/nn_ops.cc:
    SparseSoftmaxCrossEntropyWithLogits); `made` is what it gives."""
    if not isinstance(labels, Tensor) or is_floating(labels.dtype) is not True or not isinstance(made, Tensor):
        return made
    return Mismatch(Problem.DTYPE, f"{name} takes labels of integers, got {labels}", help="tf.cast(labels, tf.int32)",
                    error=f"InvalidArgumentError \"Value for attr 'Tlabels' of {labels.dtype} is not in the list of "
                          'allowed values" or in a graph TypeError "has DataType"', otherwise=made)


def of_mask(name: str, mask: Any) -> Mismatch | None:
    """What `torch.where` and `masked_fill` go by; uint8 was a mask before PyTorch had bools."""
    dtype: DType = mask.dtype if isinstance(mask, Tensor) else "bool"
    if not (is_floating(dtype) is True or (is_integer(dtype) is True and dtype != "uint8")):
        return None
    return Mismatch(Problem.DTYPE, f"{name} takes a mask of bools, got {mask}",
                    help="mask.bool(), or compare: mask != 0", error=f'RuntimeError "{MASKS[name]}"')


MASKS = {"torch.where": "where expected condition to be a boolean tensor",
         "masked_fill": "masked_fill_ only supports boolean masks"}
