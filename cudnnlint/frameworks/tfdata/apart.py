"""Arrays that are handed to tf.data one by one, of which it takes one structure."""

from __future__ import annotations

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor


def tell_of_apart(c: Call) -> None:
    """`from_tensor_slices(x, y)`: the second argument is a name (tensorflow/python/data/ops/dataset_ops.py:
    DatasetV2.from_tensor_slices)."""
    first, second = plain(c.get(0, "tensors")), plain(c.args[1]) if len(c.args) > 1 else None
    if not isinstance(first, Tensor | ListV) or not isinstance(second, Tensor | ListV) or (
            isinstance(second, Tensor) and not second.shape):
        return
    refuse(c.machine, c.span, Mismatch(
        Problem.UNEXPECTED, "name is an array or a list, the second of two that are not one tuple",
        help="from_tensor_slices((x, y)), with a pair of parentheses more", argument="name",
        error='ValueError "The truth value of an array with more than one element is ambiguous" or AttributeError '
              '"\'list\' object has no attribute \'isidentifier\'"'), what="from_tensor_slices")
