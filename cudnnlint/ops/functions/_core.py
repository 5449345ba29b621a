"""What every function family shares: axes, flags, and the Mismatches that several of them report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.ops.arith import as_dim, as_shape, is_known
from cudnnlint.values import Dim, DType, Mismatch, Problem, Shape, Symbol, Tensor, Unknown, show

Axes = tuple[int, ...]


def number(value: Any) -> Any:
    """A plain int out of an int or a scalar tensor; Unknown for anything else.

    >>> number(3), number(Tensor((), "int32", content=4)), number(None)
    (3, 4, Unknown(why='not a number'))
    """
    if isinstance(value, bool):
        return int(value)
    if value is None:
        return Unknown("not a number")
    dim = as_dim(value)
    return dim if is_known(dim) else dim if isinstance(dim, Unknown) else Unknown("a free extent")


def numbers(value: Any) -> tuple[Any, ...] | Unknown:
    """Several ints out of a list, tuple or 1-D tensor of known length; elements may be Unknown."""
    if isinstance(value, Tensor):
        if isinstance(value.content, tuple):
            return tuple(number(item) for item in value.content)
        if value.rank == 1 and isinstance(value.shape, tuple) and isinstance(size := value.shape[0], int):
            return tuple(Unknown("element of a tensor") for _ in range(min(size, 1024)))
        return Unknown("numbers from a tensor")
    if isinstance(value, (list, tuple)):
        return tuple(number(item) for item in value)
    return Unknown("not a list of numbers")


def extents(value: Any) -> Shape | Unknown:
    """The shape a user writes for a new tensor: a list, a tuple, a 1-D tensor or a single number.

    >>> extents([2, 3]), extents(5), extents(Tensor((), "int64", content=4))
    ((2, 3), (5,), (4,))
    """
    if isinstance(value, Tensor) and value.rank == 0:
        return (as_dim(value),)
    if isinstance(value, Symbol):
        return (value,)
    if isinstance(value, Unknown) and value.number:
        return (as_dim(value),)
    if isinstance(value, (list, tuple)):
        return tuple(Unknown("a float as an extent") if isinstance(item, float) else as_dim(item) for item in value)
    return as_shape(value)


def known_size(dim: Dim) -> Dim:
    """An extent that the library would refuse is not known.

    >>> known_size(3), known_size(-1)
    (3, Unknown(why='a negative extent'))
    """
    return Unknown("a negative extent") if isinstance(dim, int) and dim < 0 else dim


def size_of(value: Any) -> Dim:
    return known_size(as_dim(value))


def sizes(value: Any) -> Shape | Unknown:
    """`extents` where -1 has no meaning."""
    found = extents(value)
    return tuple(map(known_size, found)) if isinstance(found, tuple) else found


def new_shape(value: Any, name: str) -> Shape | Unknown | Mismatch:
    """`extents` of a tensor to be made, none of them negative."""
    shape = extents(value)
    if isinstance(shape, tuple) and any(isinstance(dim, int) and dim < 0 for dim in shape):
        return Mismatch(Problem.NON_POSITIVE, f"{name}: negative extent in shape {shown(shape)}",
                        error='ValueError "negative dimensions are not allowed"', argument="shape",
                        facts=(("shape", shape),))
    return shape


def flag(value: Any) -> bool | None:
    """A yes-or-no argument; None when it is not known. None and 0 are no."""
    if isinstance(value, Tensor):
        value = value.content if isinstance(value.content, (bool, int)) else Unknown()
    if isinstance(value, Unknown):
        return None
    return bool(value) if value is None or isinstance(value, (bool, int, str)) else None


def is_list(value: Any) -> bool:
    """Whether an axis argument names several axes: a list, a tuple or a 1-D tensor."""
    return isinstance(value, (list, tuple)) or (isinstance(value, Tensor) and value.rank == 1)


def find_axis(axis: Any, rank: int, what: str, x: Tensor | None = None) -> int | Unknown | Mismatch:
    """`axis` counted from 0 in a tensor of `rank` axes; a Mismatch when it is out of range.

    >>> find_axis(-1, 4, "concat")
    3
    >>> find_axis(4, 4, "concat").problem
    <Problem.AXIS: 'an axis out of range'>
    """
    value = number(axis)
    if isinstance(value, Unknown):
        return value
    if -rank <= value < rank:
        return int(value) % rank
    if rank == 0 and value in (-1, 0):
        return Unknown("axis of a scalar")  # accepted by most functions
    about = f" of {x}" if x is not None else ""
    return Mismatch(Problem.AXIS, f"{what}: axis {value} is out of range for {rank} axes{about}",
                    help=f"an axis from {-rank} to {rank - 1}" if rank else "",
                    error=_out_of_bounds(int(value), rank, what), argument="axis",
                    facts=(("axis", value), ("rank", rank)))


def _out_of_bounds(axis: int, rank: int, what: str) -> str:
    """What is raised; TensorFlow's kernels each have words of their own."""
    if what.startswith("np."):
        return f'AxisError "axis {axis} is out of bounds for array of dimension {rank}" or IndexError'
    if what.startswith("tf.reduce_"):
        return 'InvalidArgumentError or in a graph ValueError "Invalid reduction dimension"'
    return "InvalidArgumentError or ValueError"


def find_axes(axis: Any, x: Tensor, what: str) -> Axes | Unknown | Mismatch:
    """The axes that `axis` (None for all, an int, or several) names in `x`, ascending, without repeats."""
    rank = x.rank
    if rank is None:
        return Unknown("rank")
    if axis is None:
        return tuple(range(rank))
    values = numbers(axis) if is_list(axis) else (axis,)
    if isinstance(values, Unknown):
        return values
    if rank == 0 and all(value in (-1, 0) for value in values):
        return ()
    found: set[int] = set()
    for value in values:
        one = find_axis(value, rank, what, x)
        if not isinstance(one, int):
            return one
        found.add(one)
    return tuple(sorted(found))


def unknown_dims(count: int, why: str) -> Shape:
    return tuple(Unknown(why) for _ in range(count))


def reasons(*values: Any) -> Unknown | None:
    """The first Unknown, to be passed on."""
    return next((value for value in values if isinstance(value, Unknown)), None)


def rank_problem(x: Tensor, expected: Sequence[int], what: str, name: str = "input") -> Mismatch | None:
    """The Mismatch of a function whose argument must have one of the `expected` ranks."""
    if x.rank is None or x.rank in expected:
        return None
    wanted = " or ".join(map(str, expected))
    return Mismatch(Problem.RANK, f"{what} needs {wanted} axes, {name} has {x.rank}: {x}",
                    error="InvalidArgumentError or ValueError", argument=name,
                    facts=(("expected", tuple(expected)), ("actual", x.rank)))


def _named(dtype: DType) -> str:
    """As errors of TensorFlow spell it (tensorflow/core/framework/types.cc: DataTypeStringInternal)."""
    return {"float32": "float", "float64": "double", "float16": "half"}.get(str(dtype), str(dtype))


DIVISIONS = frozenset({"/", "tf.divide", "tf.truediv", "tf.math.divide", "tf.math.truediv"})
"""tensorflow/python/ops/math_ops.py: _truediv_python3 compares dtypes itself, in a graph as well."""


def dtype_problem(a: DType, b: DType, what: str) -> Mismatch:
    """Two tensors of different dtypes where TensorFlow converts neither."""
    error = f'InvalidArgumentError "was expected to be a {_named(a)} tensor but is a {_named(b)} tensor" or in a ' \
        f'graph TypeError "has type {b} that does not match type {a}"'
    if what in DIVISIONS:
        error = f'TypeError "`x` and `y` must have the same dtype, got tf.{a} != tf.{b}"'
    return Mismatch(Problem.DTYPE, f"{what}: {a} and {b} do not go together", help="tf.cast one of them", error=error,
                    facts=(("dtypes", (str(a), str(b))),))


def set_dim(shape: Shape, axis: int, dim: Dim) -> Shape:
    """
    >>> set_dim((1, 2, 3), 1, 9)
    (1, 9, 3)
    """
    return (*shape[:axis], dim, *shape[axis + 1:])


def shown(shape: Shape | Unknown) -> str:
    """A shape as users write it: (60000, 784).

    >>> shown((60000, 784)), shown((5,))
    ('(60000, 784)', '(5,)')
    """
    text = show(shape)[1:-1]
    return f"({text},)" if isinstance(shape, tuple) and len(shape) == 1 else f"({text})"


def filled(given: Any, result: Any) -> Any:
    """numpy's `out=`: the array passed in is what comes back."""
    return result if given is None else given if isinstance(given, Tensor) else Unknown("out=")


def given(*values: Any) -> tuple[Any, ...]:
    """The arguments of a function of any number of them, which its spelling lists as optional ones."""
    return tuple(value for value in values if value is not None)
