"""Einsums that Keras spells as products of transposed tensors, which are kept as they were multiplied.

keras/src/backend/tensorflow/numpy.py: einsum, use_custom_ops
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cudnnlint.ops.kernels.maths import copy, matmul, transposed
from cudnnlint.ops.kernels.products import STACKED, normalized
from cudnnlint.ops.kernels.tape import Size, Tape, Value

AS_IT_IS, SWAPPED, MOVED = range(3)
"""Of an operand: its two last axes change places, which the product does as it reads them; other axes do."""
ARRANGED: Mapping[str, tuple[int, int, bool]] = {
    "abcd,abed->abce": (AS_IT_IS, SWAPPED, False), "abcd,acbe->adbe": (SWAPPED, MOVED, True),
    "abcd,adbe->acbe": (AS_IT_IS, MOVED, True), "abcd,aecd->acbe": (MOVED, MOVED, False),
    "abcd,aecd->aceb": (MOVED, MOVED, True), "abcde,aebf->adbcf": (AS_IT_IS, MOVED, True),
    "abcde,afce->acdbf": (MOVED, MOVED, False),
}
"""What is done with both operands, and whether the product is transposed."""


def by_equation(t: Tape, maker: str, values: tuple[Value, ...], size: Size, keras: tuple[int, ...],
                equation: Any) -> Value | None:
    """The product of a Keras whose einsum is not TensorFlow's; None where it is no such."""
    if maker != "keras.ops.einsum" or keras < STACKED or len(values) != 2 or not isinstance(equation, str):
        return None
    how = ARRANGED.get(normalized(equation))
    if how is None:
        return None
    *both, turns = how
    x, y = (_arranged(t, value, one) for value, one in zip(values, both, strict=True))
    made = matmul(t, x, y, size)
    return copy(t, made) if turns else made


def _arranged(t: Tape, value: Value, how: int) -> Value:
    if how == AS_IT_IS:
        return value
    return transposed(t, value, value.size) if how == SWAPPED else copy(t, value)
