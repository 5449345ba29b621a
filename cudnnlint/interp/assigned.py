"""Values that are assigned to a part of an array or tensor: they must fit into it."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.values import Mismatch, Problem, Tensor
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
    if tensor.kind not in ERRORS or not isinstance(given, Tensor) or given.kind != tensor.kind or m.trying \
            or not isinstance(given.shape, tuple) or not str(tensor.dtype).startswith(NUMBERS):
        return
    from cudnnlint.interp.subscript import get_item

    part = plain(get_item(m, tensor, key, target))
    if not isinstance(part, Tensor) or not isinstance(part.shape, tuple):
        return
    shape = given.shape
    while len(shape) > len(part.shape) and shape[0] == 1:
        shape = shape[1:]
    room = part.shape[len(part.shape) - len(shape):] if len(shape) <= len(part.shape) else None
    if room is not None and all(dim == 1 or may_equal(dim, wanted) for dim, wanted in zip(shape, room, strict=True)):
        return
    refuse(m, m.span(target), Mismatch(
        Problem.BROADCAST, f"{ast.unparse(target)[:40]} has the shape {show(part.shape)}, it is assigned {given}",
        help="both sides need one shape, or the right an axis of 1", error=ERRORS[tensor.kind],
        facts=(("shapes", (part.shape, given.shape)),)), about=(tensor, given), what="an assignment",
        assumptions=assumptions_of(key) | assumptions_of(value))
