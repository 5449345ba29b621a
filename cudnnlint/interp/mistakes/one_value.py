"""Arrays and tensors of many elements that are taken for one: `if x == 0:`, `float(x)`, and the length of a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.graphs.placeholders import is_placeholder, refuse_symbolic
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Symbol, Tensor
from cudnnlint.values.dim import product
from cudnnlint.values.origins import PREDICTED

TRUTH = {
    "numpy": 'ValueError "The truth value of an array with more than one element is ambiguous"',
    "tf": 'ValueError "The truth value of an array with more than one element is ambiguous", in a graph "Using a '
          'symbolic `tf.Tensor` as a Python `bool` is not allowed"',
    "torch": 'RuntimeError "Boolean value of Tensor with more than one value is ambiguous"'}
ANY = {"numpy": "np.any(...) or np.all(...) of it", "tf": "tf.reduce_any(...) or tf.reduce_all(...) of it",
       "torch": "any() or all() of it"}
NUMBER = {
    "numpy": 'TypeError "only 0-dimensional arrays can be converted to Python scalars" or "only length-1 arrays"',
    "tf": 'TypeError "only 0-dimensional arrays can be converted to Python scalars", in a graph "argument must be a '
          'string or a real number"',
    "torch": 'ValueError or RuntimeError "only one element tensors can be converted to Python scalars" or "cannot be '
             'converted to Scalar"'}
ONE = {"numpy": "mean() or sum() of it, or astype(float)", "torch": "mean() or sum() of it, or to(float)",
       "tf": "tf.reduce_mean(...) or tf.reduce_sum(...) of it, or tf.cast(..., tf.float32)"}
LENGTH = {"tf": 'TypeError "Scalar tensor has no `len()`"', "torch": 'TypeError "len() of a 0-d tensor"'}
TURNS = {"tf": 'TypeError "Cannot iterate over a scalar tensor."', "torch": 'TypeError "iteration over a 0-d tensor"'}


def tell_of_condition(m: Machine, value: Tensor, span: Span) -> None:
    """numpy/_core/src/multiarray/number.c: _array_nonzero; aten/src/ATen/native/TensorCompare.cpp: is_nonzero"""
    if value.kind in TRUTH and not (m.placeholders and m.as_written is not None) and (count := many(value)):
        _tell(m, value, span, f"a condition on {value}, which has {count} elements",
              ANY[value.kind], TRUTH[value.kind], "a condition")


def tell_of_compared(m: Machine, found: Sequence[Any], name: str, span: Span) -> None:
    """`max(0.0, 1 - y * x)` compares whole tensors; in a graph AutoGraph rewrites it for numbers alone
    (tensorflow/python/autograph/operators/py_builtins.py: max_)."""
    value = next((held for held in map(plain, found) if isinstance(held, Tensor)), None)
    if value is None or len(found) < 2 or value.rank in (None, 0):
        return
    if value.kind == "keras":
        refuse_symbolic(m, value, "a condition", span)
    elif value.kind in TRUTH and (many(value) or is_placeholder(m, value)):
        _tell(m, value, span, f"{name}() compares {value} as a whole", f"{LARGEST[value.kind]}{name}imum(a, b)",
              TRUTH[value.kind], f"{name}()")


LARGEST = {"numpy": "np.", "tf": "tf.", "torch": "torch."}


def tell_of_number(m: Machine, value: Tensor, kind: str, span: Span) -> None:
    """numpy/_core/src/multiarray/methods.c: array_float; torch/csrc/autograd/python_variable_methods.cpp:
    THPVariable_float_scalar"""
    if value.kind in NUMBER and (count := many(value)) and not _is_predicted(value):
        _tell(m, value, span, f"{kind}() of {value}, which has {count} elements",
              ONE.get(value.kind, "") if kind == "float" else "one of its elements", NUMBER[value.kind], f"{kind}()")


def tell_of_length(m: Machine, value: Tensor, span: Span) -> None:
    """`len(loss)`; a program may ask first whether it is a number of NumPy or an array."""
    if value.kind in LENGTH and value.shape == ():
        _tell(m, value, span, f"len() of {value}, which is one number", "", LENGTH[value.kind], "len()")


def tell_of_one_turn(m: Machine, value: Tensor, span: Span) -> None:
    """`for loss in total:` of what is one number."""
    open_ = isinstance(value.shape, tuple) and isinstance(next(iter(value.shape), 0), Symbol)
    if value.kind == "keras" and (open_ or m.stack.keras >= (3,)):
        refuse_symbolic(m, value, "going through the rows", span)
    if value.kind in TURNS and value.shape == ():
        _tell(m, value, span, f"a loop over {value}, which is one number", "", TURNS[value.kind], "a loop")


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


def many(value: Tensor) -> int:
    """How many elements it certainly has, if they are more than one."""
    count = product(value.shape) if isinstance(value.shape, tuple) else None
    return count if isinstance(count, int) and count > 1 else 0


def _tell(m: Machine, value: Tensor, span: Span, message: str, help: str, error: str, what: str) -> None:
    if is_meant(m) and not m.uncalled and not m.handlers:
        refuse(m, span, Mismatch(Problem.RANK, message, help=help, error=error, facts=(
            ("expected", 1 if what in ("len()", "a loop") else 0), ("actual", value.rank))), about=(value,), what=what,
            inputs=value)
