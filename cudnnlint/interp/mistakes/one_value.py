"""Arrays and tensors of many elements that are taken for one: `if x == 0:`, `float(x)`, and the length of a number."""

from __future__ import annotations

import ast

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor
from cudnnlint.values.dim import product
from cudnnlint.values.origins import PREDICTED

TRUTH = {
    "numpy": 'ValueError "The truth value of an array with more than one element is ambiguous"',
    "torch": 'RuntimeError "Boolean value of Tensor with more than one value is ambiguous"'}
NUMBER = {
    "numpy": 'TypeError "only 0-dimensional arrays can be converted to Python scalars" or "only length-1 arrays"',
    "torch": 'ValueError or RuntimeError "only one element tensors can be converted to Python scalars" or "cannot be '
             'converted to Scalar"'}
LENGTH = 'TypeError "len() of a 0-d tensor"'


def tell_of_condition(m: Machine, value: Tensor, test: ast.expr) -> None:
    """numpy/_core/src/multiarray/number.c: _array_nonzero; aten/src/ATen/native/TensorCompare.cpp: is_nonzero"""
    if value.kind in TRUTH and (count := _many(value)):
        _tell(m, value, m.span(test), f"a condition on {value}, which has {count} elements",
              "np.any(...) or np.all(...) of it" if value.kind == "numpy" else "any() or all() of it",
              TRUTH[value.kind], "a condition")


def tell_of_number(m: Machine, value: Tensor, kind: str, span: Span) -> None:
    """numpy/_core/src/multiarray/methods.c: array_float; torch/csrc/autograd/python_variable_methods.cpp:
    THPVariable_float_scalar"""
    if value.kind in NUMBER and (count := _many(value)) and not _is_predicted(value):
        _tell(m, value, span, f"{kind}() of {value}, which has {count} elements",
              f"mean() or sum() of it, or {'astype' if value.kind == 'numpy' else 'to'}({kind})" if kind == "float" else
              "one of its elements", NUMBER[value.kind], f"{kind}()")


def tell_of_length(m: Machine, value: Tensor, span: Span) -> None:
    """`len(loss)`; a program may ask first whether it is a number of NumPy or an array."""
    if value.kind == "torch" and value.shape == ():
        _tell(m, value, span, f"len() of {value}, which is one number", "", LENGTH, "len()")


def _is_predicted(value: Tensor) -> bool:
    """Whether predict() gave it: of several inputs old versions counted the rows of the first one only."""
    step = value.step
    for _ in range(NEAR):
        if step is None or step.maker == PREDICTED:
            return step is not None
        step = step.parents[0].step if step.parents else None
    return False


NEAR = 6
"""Steps that are looked back."""


def _many(value: Tensor) -> int:
    """How many elements it certainly has, if they are more than one."""
    count = product(value.shape) if isinstance(value.shape, tuple) else None
    return count if isinstance(count, int) and count > 1 else 0


def _tell(m: Machine, value: Tensor, span: Span, message: str, help: str, error: str, what: str) -> None:
    if is_meant(m) and not m.uncalled and not m.handlers:
        refuse(m, span, Mismatch(Problem.RANK, message, help=help, error=error, facts=(
            ("expected", 1 if what == "len()" else 0), ("actual", value.rank))), about=(value,), what=what,
            inputs=value)
