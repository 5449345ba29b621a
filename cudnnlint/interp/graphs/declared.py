"""Tensors that a tf.function is given, against the input_signature that it declares."""

from __future__ import annotations

from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, show
from cudnnlint.values.dim import is_known


def tell_of_undeclared(c: Call, name: str, given: Tensor, declared: Tensor) -> bool:
    """A shape that it does not take, or a tensor of another dtype; what NumPy made is converted
    (tensorflow/core/function/polymorphism/function_type.py: FunctionType.bind_with_defaults, cast). Whether it was
    told, and nobody comes to the body with it."""
    if not is_meant(c.machine) or c.machine.uncalled or c.machine.handlers or given.kind not in ("tf", "numpy"):
        return False
    shapes = isinstance(given.shape, tuple) and isinstance(declared.shape, tuple) and (
        len(given.shape) != len(declared.shape) or any(
            is_known(a) and is_known(b) and a != b for a, b in zip(given.shape, declared.shape, strict=True)))
    dtypes = given.kind == "tf" and isinstance(given.dtype, str) and isinstance(declared.dtype, str) \
        and given.dtype != declared.dtype
    return (shapes or dtypes) and refuse(c.machine, c.span, Mismatch(
        Problem.FED if shapes else Problem.DTYPE, f"{name}() is given {given}, its input_signature declares "
        f"{declared.dtype}{show(declared.shape)}",
        help=f"tf.cast(..., tf.{declared.dtype})" if not shapes else
        f"a TensorSpec of rank {given.rank}, or a tensor of rank {declared.rank}" if given.rank != declared.rank else
        "None in the TensorSpec for an axis that may be of any length",
        error='TypeError "Binding inputs to tf.function failed due to" or ValueError "Python inputs incompatible '
              'with input_signature"', facts=(("dtype", given.dtype),)), about=(given,), what=name, inputs=given)
