"""Products of stacks of matrices with one matrix, whose gradient is made for each of the stack before it is summed."""

from __future__ import annotations

from collections.abc import Sequence

from cudnnlint.ops.kernels.tape import Tape, Value
from cudnnlint.values import Tensor

NAMES = frozenset({"tensorflow.matmul", "tensorflow.linalg.matmul", "keras.ops.matmul", "operator.@"})


def spread_over(t: Tape, maker: str, given: Sequence[Tensor], values: tuple[Value, ...]) -> tuple[Value, ...]:
    """The operands of a matmul; one matrix counts as many where the other operand is a stack of them
    (tensorflow/python/ops/math_grad.py: _BatchMatMulV2)."""
    if maker not in NAMES or len(given) != 2 or len(values) != 2:
        return values
    shapes = [one.shape for one in given]
    if not all(isinstance(shape, tuple) and len(shape) > 1 for shape in shapes):
        return values
    made = list(values)
    for place, (one, other) in enumerate(((shapes[0], shapes[1]), (shapes[1], shapes[0]))):
        if len(one) == 2 < len(other) and values[place].trained and not values[place].size.each:  # type: ignore[arg-type]
            wide = t.size((*other[:-2], *one), values[place].size.item)  # type: ignore[index,misc]
            made[place] = t.run("spread", (values[place],), wide, view=True)
    return made[0], made[1]
