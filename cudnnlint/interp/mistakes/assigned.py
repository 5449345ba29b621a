"""Values that are assigned to a part of an array or tensor: they must fit into it."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.mistakes.quoting import quoted
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.values import Dim, Mismatch, Problem, Tensor
from cudnnlint.values.dim import may_equal
from cudnnlint.values.tensor import show

ERRORS = {"numpy": 'ValueError "could not broadcast input array from shape"',
          "torch": 'RuntimeError "The expanded size of the tensor ... must match" or "shape mismatch"'}
NUMBERS = ("float", "int", "uint", "bool", "complex")
"""Dtypes of arrays whose elements are numbers; those of objects hold arrays."""


def tell_of_assigned(m: Machine, tensor: Tensor, key: Any, value: Any, target: ast.Subscript) -> None:
    """`pe[:, 1::2] = cos` where the left takes 37 columns and the right has 38 (numpy/_core/src/multiarray/convert.c;
    aten/src/ATen/ExpandUtils.h: expand_inplace)."""
    given = plain(value)
    if tensor.kind in ("tf", "keras"):
        _tell_of_fixed(m, tensor, target)
    if tensor.kind not in ERRORS or not isinstance(given, Tensor) or given.kind != tensor.kind or m.trying \
            or not isinstance(given.shape, tuple) or not str(tensor.dtype).startswith(NUMBERS):
        return
    from cudnnlint.interp.subscript import get_item

    part = plain(get_item(m, tensor, key, target))
    if not isinstance(part, Tensor) or not isinstance(part.shape, tuple):
        return
    if _may_fit(given.shape, part.shape):
        return
    refuse(m, m.span(target), Mismatch(
        Problem.BROADCAST, f"{quoted(target)} has the shape {show(part.shape)}, it is assigned {given}",
        help="both sides need one shape, or the right an axis of 1", error=ERRORS[tensor.kind],
        facts=(("shapes", (part.shape, given.shape)),)), about=(tensor, given), what="an assignment",
        assumptions=assumptions_of(key) | assumptions_of(value))


def _tell_of_fixed(m: Machine, tensor: Tensor, target: ast.Subscript) -> None:
    """Tensors of TensorFlow stay as they are, its variables but for assign() (tensorflow/python/framework/tensor.py:
    Tensor has no __setitem__), and so do symbolic tensors of Keras."""
    source = m.frame.module.source
    if tensor.kind == "keras":
        if is_certain(m) and not (m.placeholders or m.applying or m.symbolic or m.tracing or m.bodies):
            refuse(m, m.span(target), Mismatch(
                Problem.NO_ATTRIBUTE, f"{quoted(target)} is assigned, symbolic tensors cannot be changed",
                help="layers and keras.ops make others", error="TypeError \"'KerasTensor' object does not support item "
                "assignment\""), about=(tensor,), what="an assignment")
        return
    if is_certain(m) and tensor.step is not None and source is not None and source.says("tensorflow") \
            and not source.says("KERAS_BACKEND"):
        refuse(m, m.span(target), Mismatch(
            Problem.NO_ATTRIBUTE, f"{quoted(target)} is assigned, tensors of TensorFlow cannot be changed",
            help="tf.tensor_scatter_nd_update() or tf.where() make another one; an array of NumPy can be changed",
            error="TypeError \"object does not support item assignment\""), about=(tensor,), what="an assignment")


def _may_fit(shape: tuple[Dim, ...], room: tuple[Dim, ...]) -> bool:
    """
    >>> _may_fit((1, 3, 1), (3, 8)), _may_fit((2, 8), (8,)), _may_fit((8,), (2, 8))
    (True, False, True)
    """
    more = max(0, len(shape) - len(room))
    rest = shape[more:]
    return all(may_equal(dim, 1) for dim in shape[:more]) and all(
        dim == 1 or may_equal(dim, wanted) for dim, wanted in zip(rest, room[len(room) - len(rest):], strict=True))
