"""What is changed in place keeps its shape: an operand that would make it larger is refused."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.refusals import refuse
from cudnnlint.ops.functions._core import shown
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor
from cudnnlint.values.tensor import show

ERRORS = {"torch": 'RuntimeError "output with shape {} doesn\'t match the broadcast shape {}"',
          "numpy": 'ValueError "non-broadcastable output operand with shape {} doesn\'t match the broadcast shape {}"'}
"""aten/src/ATen/TensorIterator.cpp: TensorIteratorBase::mark_resize_outputs; numpy/_core/src/umath/nditer_constr.c."""


def tell_of_grown(m: Machine, span: Span, written: str, tensor: Tensor, made: Any) -> bool:
    """`x += y` of (2, 1) and (2,), which is (2, 2) and does not go into x. `made` is what `x + y` gives."""
    before, after = tensor.shape, getattr(made, "shape", None)
    if tensor.kind not in ERRORS or not isinstance(before, tuple) or not isinstance(after, tuple) \
            or not is_grown(before, after):
        return False
    error = ERRORS[tensor.kind].format(_listed(before, tensor.kind), _listed(after, tensor.kind))
    refuse(m, span, Mismatch(
        Problem.BROADCAST, f"{written} keeps the shape {shown(before)}, and the result has {shown(after)}",
        help="an operand that fits into it, or an assignment of the result, which is another array"
        if tensor.kind == "numpy" else "an operand that fits into it, or an assignment of the result", error=error),
        about=(made,), what=written, inputs=tensor)
    return True


def is_grown(before: tuple[Any, ...], after: tuple[Any, ...]) -> bool:
    """Whether it certainly has more axes, or an extent of 1 became another.

    >>> is_grown((2, 1), (2, 2)), is_grown((2, 1), (2, 1)), is_grown((3,), (2, 3)), is_grown(("B", 1), ("B", 4))
    (True, False, True, True)
    """
    return len(after) > len(before) or (len(after) == len(before) and any(
        type(old) is int and type(new) is int and old != new for old, new in zip(before, after, strict=True)))


def _listed(shape: tuple[Any, ...], kind: str) -> str:
    return show(shape) if kind == "torch" else shown(shape).replace(" ", "")
