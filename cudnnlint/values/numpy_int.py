"""A whole number that NumPy made: an integer to arithmetic, and not to `isinstance(value, int)`."""

from __future__ import annotations

from typing import Any


class NumpyInt(int):
    """What np.prod((28, 28)) gives; arithmetic with it gives another one.

    >>> type(NumpyInt(784) * 2).__name__, type(3 + NumpyInt(784)).__name__, type(int(NumpyInt(784))).__name__
    ('NumpyInt', 'NumpyInt', 'int')
    """

    __slots__ = ()

    def __add__(self, other: int, /) -> Any:
        return _kept(int.__add__(self, other))

    def __sub__(self, other: int, /) -> Any:
        return _kept(int.__sub__(self, other))

    def __mul__(self, other: int, /) -> Any:
        return _kept(int.__mul__(self, other))

    def __floordiv__(self, other: int, /) -> Any:
        return _kept(int.__floordiv__(self, other))

    def __radd__(self, other: int, /) -> Any:
        return _kept(int.__radd__(self, other))

    def __rsub__(self, other: int, /) -> Any:
        return _kept(int.__rsub__(self, other))

    def __rmul__(self, other: int, /) -> Any:
        return _kept(int.__rmul__(self, other))

    def __rfloordiv__(self, other: int, /) -> Any:
        return _kept(int.__rfloordiv__(self, other))


def _kept(result: Any) -> Any:
    """Also for what is NotImplemented between an int and something else."""
    return NumpyInt(result) if type(result) is int else result
