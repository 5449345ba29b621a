"""Products of stacks of matrices, of which one is smaller: its gradient is made for each matrix before it is summed."""

from __future__ import annotations

from collections.abc import Sequence

from cudnnlint.ops.kernels.tape import Tape, Value
from cudnnlint.values import Shape, Tensor, Unknown

NAMES = frozenset({"tensorflow.matmul", "tensorflow.linalg.matmul", "keras.ops.matmul", "operator.@"})
FLAT: tuple[int, ...] = (3, 15)
"""The Keras whose ops.matmul multiplies all rows of a stack with one matrix at once (keras/src/backend/tensorflow/
numpy.py: matmul, tensordot)."""


def spread_over(t: Tape, maker: str, given: Sequence[Tensor], values: tuple[Value, ...], result: Shape | Unknown,
                keras: tuple[int, ...]) -> tuple[Value, ...]:
    """The operands of a matmul, as large as a stack of matrices as they are multiplied with (tensorflow/python/ops/
    math_grad.py: _BatchMatMulV2)."""
    if maker not in NAMES or len(given) != 2 or len(values) != 2:
        return values
    shapes = [one.shape for one in given]
    if isinstance(result, Unknown) or not all(isinstance(shape, tuple) and len(shape) > 1 for shape in shapes):
        return values
    if maker == "keras.ops.matmul" and keras >= FLAT and given[1].rank == 2:
        return values
    made = list(values)
    for place, (shape, value) in enumerate(zip(shapes, values, strict=True)):
        if value.trained and shape[:-2] != result[:-2]:  # type: ignore[index]
            wide = t.size((*result[:-2], *shape[-2:]), value.size.item)  # type: ignore[index]
            made[place] = t.run("spread", (value,), wide, view=True)
    return made[0], made[1]
