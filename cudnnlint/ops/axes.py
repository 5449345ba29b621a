"""The axis argument of normalisation layers: one axis or several, in range, of known extent."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arguments import show
from cudnnlint.ops.arith import normalise_axis
from cudnnlint.values import Mismatch, Problem, Shape, Symbol, Tensor, Unknown, Where


def positions(axis: Any, x: Tensor, name: str) -> tuple[int, ...] | Unknown | Mismatch:
    """The axes of `x` that `axis` names, in the order given.

    >>> positions([-1, 1], Tensor((2, 3, 4)), "LayerNormalization")
    (2, 1)
    """
    given = tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
    if any(isinstance(item, bool) or not isinstance(item, int) for item in given):
        return Unknown("axis")
    if isinstance(x.shape, Unknown):
        return x.shape
    found = tuple(normalise_axis(item, len(x.shape)) for item in given)
    for item, place in zip(given, found, strict=True):
        if place is None:
            return out_of_range(item, x, name)
    return tuple(place for place in found if place is not None)


def out_of_range(axis: int, x: Tensor, name: str) -> Mismatch:
    rank = x.rank or 0
    bounds = f"axis must be between {-rank} and {rank - 1}" if rank else ""
    return Mismatch(Problem.AXIS, f"{name} along axis {axis} of an input of {rank} axes: {x}", argument="axis",
                    help=f"{bounds}; -1 is the last one" if bounds else "", facts=(("axis", axis), ("rank", rank)),
                    error=f'IndexError or ValueError "Axis {axis} is out of bounds", "Invalid value for `axis`" or '
                          '"must be in the range"')


def repeated(axis: Any, places: tuple[int, ...]) -> Mismatch | None:
    """Keras 2 refuses an axis named twice (tf_keras/src/utils/tf_utils.py: validate_axis)."""
    if len(set(places)) == len(places):
        return None
    return Mismatch(Problem.INVALID_ARGUMENT, f"axis {show(axis)} names the same axis twice", argument="axis",
                    error='ValueError "Duplicate axis"', where=Where(keras="<3"))


def free_axis(places: tuple[int, ...], x: Tensor, name: str) -> Mismatch | None:
    """A layer that keeps a weight for every element along an axis that is None."""
    shape: Shape = () if isinstance(x.shape, Unknown) else x.shape
    for place in places:
        if isinstance(shape[place], Symbol):
            return Mismatch(Problem.FEATURE_UNKNOWN, f"{name} needs the extent of axis {place}, which is None in {x}",
                            help="give the full input shape, or another axis", argument="axis",
                            error='ValueError "Shapes used to initialize variables must be fully-defined" or before '
                                  'Keras 3 "undefined `axis` dimension"', facts=(("axis", place),))
    return None
