"""Products of stacks of matrices, of which one is smaller: its gradient is made for each matrix before it is summed."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Size, Tape, Value
from cudnnlint.values import Shape, Tensor, Unknown

NAMES = frozenset({"tensorflow.matmul", "tensorflow.linalg.matmul", "keras.ops.matmul", "operator.@"})
FLAT: tuple[int, ...] = (3, 15)
"""The Keras whose ops.matmul multiplies all rows of a stack with one matrix at once (keras/src/backend/tensorflow/
numpy.py: matmul, tensordot)."""


STACKED: tuple[int, ...] = (3, 1)
"""The Keras whose einsum is a product of stacks of matrices, for the equations below."""
EQUATIONS = frozenset({"abc,cd->abd", "abc,dc->abd", "abc,cde->abde", "abc,dce->abde", "abc,dec->abde",
                       "abcd,cde->abe", "abcd,ced->abe", "abcd,ecd->abe"})
"""Those in which all matrices of the stack are multiplied with one (numpy.py: einsum, use_custom_ops)."""


def normalized(equation: str) -> str:
    """Letters in the order of the alphabet.

    >>> normalized("btd,dnh->btnh")
    'abc,cde->abde'
    """
    letters = "".join(dict.fromkeys(each for each in equation if each.isalpha()))[:len(ascii_letters)]
    return equation.translate(str.maketrans(letters, ascii_letters[:len(letters)]))


def of_each(at: Site, kernel: Value, batch: Any) -> Value:
    """A layer's kernel as each matrix of a stack is multiplied with it: its gradient is made for each before they are
    summed."""
    if not kernel.trained:
        return kernel
    wide = at.tape.size((*batch, kernel.size.fixed), kernel.size.item)
    if at.tape.compiled:
        at.tape.stacks[kernel.index] = wide
        return kernel
    return _spread(at.tape, kernel, wide)


def multiplied(at: Site, kernel: Value, equation: str) -> Value:
    """The kernel of a layer whose product is an einsum. Axes that `...` stands for are put into its gradient too, and
    summed up there (tensorflow/python/ops/linalg_grad.py: _EinsumGrad), but XLA sums them as it multiplies."""
    if "..." in equation:
        if at.tape.compiled:
            return kernel
        named = len(equation.partition(",")[0].replace("...", ""))
        shape = at.shape()
        return of_each(at, kernel, shape[:len(shape) - named] if equation.startswith("...") else shape[named:])
    is_stack = at.stack.keras >= STACKED and normalized(equation) in EQUATIONS
    return of_each(at, kernel, at.shape()[:1]) if is_stack else kernel


def spread_over(t: Tape, maker: str, given: Sequence[Tensor], values: tuple[Value, ...], result: Shape | Unknown,
                keras: tuple[int, ...], equation: Any = None) -> tuple[Value, ...]:
    """The operands of a product, as large as a stack of matrices as they are multiplied with (tensorflow/python/ops/
    math_grad.py: _BatchMatMulV2)."""
    if len(given) != 2 or len(values) != 2 or isinstance(result, Unknown):
        return values
    if maker == "keras.ops.einsum":
        return _by_equation(t, given, values, keras, equation)
    shapes = [one.shape for one in given]
    if maker not in NAMES or not all(isinstance(shape, tuple) and len(shape) > 1 for shape in shapes):
        return values
    if maker == "keras.ops.matmul" and keras >= FLAT and given[1].rank == 2:
        return values
    made = list(values)
    for place, (shape, value) in enumerate(zip(shapes, values, strict=True)):
        if value.trained and shape[:-2] != result[:-2]:  # type: ignore[index]
            made[place] = _spread(t, value, t.size((*result[:-2], *shape[-2:]), value.size.item))  # type: ignore[index]
    return made[0], made[1]


def _by_equation(t: Tape, given: Sequence[Tensor], values: tuple[Value, ...], keras: tuple[int, ...],
                 equation: Any) -> tuple[Value, ...]:
    is_stack = keras >= STACKED and isinstance(equation, str) and normalized(equation) in EQUATIONS
    (x, kernel), shape = values, given[0].shape
    if not is_stack or not kernel.trained or not isinstance(shape, tuple) or kernel.size.each:
        return values
    return x, _spread(t, kernel, t.size((shape[0], kernel.size.fixed), kernel.size.item))


def _spread(t: Tape, kernel: Value, wide: Size) -> Value:
    made = t.run("spread", (kernel,), wide, view=True)
    if t.compiled:
        t.stacks[made.index] = wide
    return made
