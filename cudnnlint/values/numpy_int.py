"""Numbers that NumPy made: to arithmetic they are numbers, beside an array they have a dtype of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class NumpyInt(int):
    """What np.prod((28, 28)) gives; arithmetic with it gives another one. No `isinstance(value, int)` holds for it.

    >>> type(NumpyInt(784) * 2).__name__, type(3 + NumpyInt(784)).__name__, type(int(NumpyInt(784))).__name__
    ('NumpyInt', 'NumpyInt', 'int')
    >>> type(NumpyInt(784) / 2).__name__, type(NumpyInt(784) * 0.5).__name__
    ('NumpyFloat', 'NumpyFloat')
    """

    __slots__ = ()


class NumpyFloat(float):
    """What np.sqrt(2.0) gives.

    >>> NumpyFloat(2.5) * 2, type(1 - NumpyFloat(2.5)).__name__, type(float(NumpyFloat(2.5))).__name__
    (5.0, 'NumpyFloat', 'float')
    """

    __slots__ = ()


def of_numpy(result: Any) -> Any:
    """A number that came of one of NumPy's; what is NotImplemented, or no number, stays what it is."""
    kind = MADE.get(type(result))
    return result if kind is None else kind(result)


def number_in(value: Any) -> Any:
    """The number that a scalar of an array is, as Python's own functions take it; anything else as it is."""
    held = getattr(value, "content", None)
    scalar = type(held) in MADE and value.shape == () and value.kind == "numpy"
    return of_numpy(held) if scalar else value


MADE: dict[type, Callable[[Any], Any]] = {int: NumpyInt, float: NumpyFloat}
NUMBERS = (NumpyInt, NumpyFloat)
OPERATORS = tuple(f"__{side}{name}__" for name in ("add", "sub", "mul", "floordiv", "truediv", "mod")
                  for side in ("", "r"))


def _operator(base: type, name: str) -> Callable[[Any, Any], Any]:
    own, real = getattr(base, name), getattr(float, name)

    def compute(self: Any, other: Any, /) -> Any:
        return of_numpy(real(float(self), other) if base is int and isinstance(other, float) else own(self, other))

    return compute


for _name in OPERATORS:
    for _kind, _base in ((NumpyInt, int), (NumpyFloat, float)):
        setattr(_kind, _name, _operator(_base, _name))
