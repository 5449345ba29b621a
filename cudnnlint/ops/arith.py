"""Small total functions that carry every shape formula."""

from __future__ import annotations

from typing import Any

from cudnnlint.values import FREE, Dim, Mismatch, Problem, Shape, Symbol, Tensor, Unknown
from cudnnlint.values.dim import Implied, is_known, join, lift, may_equal, meet, product
from cudnnlint.values.unknown import loose


def as_dim(value: Any) -> Dim:
    """A dimension out of a user's value: None is free, a scalar tensor its content.

    >>> as_dim(None)
    Symbol(name='None')
    """
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return Unknown("a bool as a dimension")
    if isinstance(value, int | Symbol | Unknown):
        dim: Dim = loose(value)
        return dim
    if value is None:
        return FREE
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Tensor):
        content = value.content
        if isinstance(content, int | Symbol | Unknown) and not isinstance(content, bool):
            return content
    return Unknown("not a number")


def taken(part: slice, size: int) -> int:
    """How many of `size` elements a slice of known bounds takes; len() counts no further than 2^63.

    >>> taken(slice(1, None, 2), 6), taken(slice(None), 10**20)
    (3, 100000000000000000000)
    """
    places = range(*part.indices(size))
    return (places[-1] - places[0]) // places.step + 1 if places else 0


def as_shape(value: Any) -> Shape | Unknown:
    """A shape out of a user's list, tuple, 1-D tensor or scalar.

    >>> as_shape([None, 3])
    (Symbol(name='None'), 3)
    """
    if isinstance(value, Tensor):
        if isinstance(value.content, tuple):
            return tuple(as_dim(item) for item in value.content)
        if isinstance(value.shape, tuple) and len(value.shape) == 1 and is_known(value.shape[0]):
            return tuple(Unknown("element of a tensor") for _ in range(value.shape[0]))  # type: ignore[arg-type]
        return Unknown("shape from a tensor")
    if isinstance(value, (list, tuple)):
        return tuple(as_dim(item) for item in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    return value if isinstance(value, Unknown) else Unknown("not a shape")


def spread(value: Any, count: int) -> tuple[Dim, ...] | Unknown:
    """`kernel_size=3` and `(3, 3)` alike, as `count` extents (keras/src/utils/argument_validation.py).

    >>> spread(3, 2)
    (3, 3)
    """
    if value.__class__ is int:
        return (value,) * count
    if isinstance(value, (list, tuple)):
        if len(value) != count:
            return Unknown(f"not {count} numbers")
        return tuple(as_dim(item) for item in value)
    if value is None:
        return Unknown("None")
    return tuple(as_dim(value) for _ in range(count))


def window(size: Dim, kernel: Dim, stride: Dim, padding: Any, dilation: Dim = 1) -> Dim:
    """Extent after a sliding window (keras/src/ops/operation_utils.py: compute_conv_output_shape).

    "valid": floor((n - ((k-1)*d + 1)) / s) + 1; "same" and "causal": ceil(n / s). May be <= 0.

    >>> window(12, 3, 1, "valid"), window(3, 5, 1, "valid"), window(7, 3, 2, "same")
    (10, -1, 4)
    """
    if isinstance(stride, int) and stride <= 0:
        return Unknown("stride is not positive")
    if padding in ("same", "causal"):
        return lift(lambda n, s: -(-n // s), size, stride)
    if padding == "valid":
        return lift(lambda n, k, s, d: (n - ((k - 1) * d + 1)) // s + 1, size, kernel, stride, dilation)
    return Unknown("padding")


def normalise_axis(axis: Any, rank: int) -> int | None:
    """A non-negative axis, or None when it is unknown or out of range.

    >>> normalise_axis(-1, 4), normalise_axis(4, 4)
    (3, None)
    """
    if isinstance(axis, bool) or not isinstance(axis, int) or not -rank <= axis < rank:
        return None
    return axis % rank


def broadcast(a: Shape | Unknown, b: Shape | Unknown) -> Shape | Unknown | None:
    """NumPy broadcasting; None when it certainly fails.

    >>> broadcast((4, 1, 3), (5, 1)), broadcast((3,), (4,))
    ((4, 5, 3), None)
    """
    if isinstance(a, Unknown):
        return a
    if isinstance(b, Unknown):
        return b
    width = max(len(a), len(b))
    left: Shape = (1,) * (width - len(a)) + a
    right: Shape = (1,) * (width - len(b)) + b
    out: list[Dim] = []
    for m, n in zip(left, right, strict=True):
        if m == 1:
            out.append(m if n == 1 and type(m) is Implied else n)
        elif n in (1, m):
            out.append(n if type(m) is Implied and n != 1 else m)  # what one of them says is seen
        elif isinstance(m, int) and isinstance(n, int):
            return None
        elif isinstance(m, int) or isinstance(n, int):
            out.append(m if isinstance(m, int) else n)
        else:
            out.append(m if isinstance(m, Unknown) else n)
    return tuple(out)


def rank_mismatch(x: Tensor, rank: int, name: str, *, at_least: bool = False,
                  declares_least: bool = False) -> Mismatch | None:
    """The Mismatch of a layer that needs `rank` axes, or None when `x` may have them.

    declares_least  it declares `rank` as the least, and fails on more by what it computes
    """
    if x.rank is None or (x.rank >= rank if at_least else x.rank == rank):
        return None
    word = "min_ndim" if at_least or declares_least else "ndim"
    return Mismatch(
        Problem.RANK, f"{name} needs {'at least ' if at_least else ''}{rank} axes, its input has {x.rank}: {x}",
        error=f'ValueError "expected {word}={rank}, found ndim={x.rank}"' if x.rank < rank or word == "ndim" else
              "ValueError or IndexError",
        facts=(("expected", rank), ("actual", x.rank)))


__all__ = ["as_dim", "as_shape", "broadcast", "is_known", "join", "lift", "may_equal", "meet", "normalise_axis",
           "product", "rank_mismatch", "spread", "window"]
