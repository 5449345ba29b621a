"""One extent of a tensor: a number, a free extent that Keras writes None, or Unknown.

Arithmetic is total: a free extent stays free, Unknown absorbs everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field

from cudnnlint.records import record
from cudnnlint.values.unknown import Drawn, Unknown, Window, common


@record(frozen=True, slots=True)
class Symbol:
    """An extent that differs from run to run: Keras' None. Compatible with every number.

    term  for one that was computed of others, of what: another symbol than they are, however it is told
    """

    name: str = "None"
    term: tuple[object, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return self.name


class Implied(int):
    """A number that follows from what the program does, but that TensorFlow does not see while it builds a model: to
    Keras the extent is None. What is computed from it is one, too."""

    __slots__ = ()

    def __add__(self, other: int) -> int:
        return _implied(int.__add__(self, other))

    def __sub__(self, other: int) -> int:
        return _implied(int.__sub__(self, other))

    def __mul__(self, other: int) -> int:
        return _implied(int.__mul__(self, other))

    def __floordiv__(self, other: int) -> int:
        return _implied(int.__floordiv__(self, other))

    def __radd__(self, other: int) -> int:
        return _implied(int.__radd__(self, other))

    def __rsub__(self, other: int) -> int:
        return _implied(int.__rsub__(self, other))

    def __rmul__(self, other: int) -> int:
        return _implied(int.__rmul__(self, other))

    def __neg__(self) -> int:
        return _implied(int.__neg__(self))


def _implied(value: int) -> int:
    return value if value is NotImplemented else Implied(value)


Dim = int | Symbol | Unknown
BATCH = Symbol("B")
"""The batch axis of `keras.Input` and of datasets whose batches differ in size."""
FREE = Symbol("None")
"""Any other extent left open by the program (`Input((None, None, 3))`)."""

DEEPEST = 8
"""Operations that a symbol remembers: of what takes more, one is as good as another."""


def computed(op: str, a: object, b: object) -> Symbol:
    """What arithmetic with an open extent gives: the same for the same operands.

    >>> computed("*", FREE, 2) == computed("*", 2, FREE), computed("//", FREE, 2) == FREE, str(computed("//", FREE, 2))
    (True, False, 'None')
    """
    if 1 + max(_depth(a), _depth(b)) > DEEPEST:
        return Symbol("None", ("deep",))
    return Symbol("None", (op, *(sorted((a, b), key=_spelled) if op in ("*", "+") else (a, b))))


def factors(dims: Iterable[Dim]) -> tuple[Dim, ...]:
    """Extents with those that are computed as products taken apart.

    >>> factors((4, computed("*", FREE, 2)))
    (4, 2, Symbol(name='None'))
    """
    found: list[Dim] = []
    for dim in dims:
        if isinstance(dim, Symbol) and dim.term[:1] == ("*",):
            found += factors(dim.term[1:])  # type: ignore[arg-type]
        else:
            found.append(dim)
    return tuple(found)


def _depth(each: object) -> int:
    return 1 + max(map(_depth, each.term)) if isinstance(each, Symbol) and each.term else 0


def _spelled(each: object) -> str:
    return f"{each}{[*map(_spelled, each.term)]}" if isinstance(each, Symbol) else str(each)


PROXY = 1_000_003
"""A batch of a size that is not known, as a number: a prime, so that what is a multiple of it comes from the batch."""


def lift(function: Callable[..., int], *dims: Dim) -> Dim:
    """`function` over plain numbers; FREE if one is free; Unknown, and another one, if one is unknown.

    >>> lift(lambda a, b: a + b, 2, 3)
    5
    >>> lift(lambda a, b: a + b, 2, FREE)
    Symbol(name='None')
    """
    free = False
    for dim in dims:
        if type(dim) is int:
            continue
        if isinstance(dim, Unknown):
            return Unknown(dim.why)  # which extents are the same is told by identity
        if isinstance(dim, Symbol):
            free = True
    return FREE if free else function(*dims)


def product(dims: Iterable[Dim]) -> Dim:
    """The number of elements; a known 0 wins over free and unknown extents.

    >>> product((2, 3, 4))
    24
    """
    total: Dim = 1
    for dim in dims:
        if dim == 0:
            return 0
        if type(total) is type(dim) is int or (isinstance(total, int) and isinstance(dim, int)):
            total *= dim
        elif not isinstance(total, Unknown):
            total = Unknown(dim.why) if isinstance(dim, Unknown) else FREE
    return total


def is_known(dim: object) -> bool:
    """True for a plain number (bool excluded)."""
    return type(dim) is int or (isinstance(dim, int) and not isinstance(dim, bool))


def may_equal(a: Dim, b: Dim) -> bool:
    """False only when the two extents are certainly different."""
    return not (isinstance(a, int) and isinstance(b, int)) or a == b


def meet(a: Dim, b: Dim) -> Dim:
    """The more informative of two extents that must be equal (a number over free over unknown)."""
    if isinstance(a, int):
        return a
    if isinstance(b, int):
        return b
    return b if isinstance(a, Unknown) else a


def join(a: Dim, b: Dim) -> Dim:
    """What holds on both of two paths: the same extent, or Unknown."""
    if type(a) is Window and type(b) is Window:
        return common(a, b)
    if type(a) is Drawn and type(b) is Drawn:
        return a.met(b)
    return a if a == b else Unknown("differs between paths")
