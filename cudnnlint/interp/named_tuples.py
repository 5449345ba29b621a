"""Named tuples where paths meet: they never change, so that what holds of two of a class holds of a third."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.interp.iterate import is_named_tuple
from cudnnlint.interp.join import join_two
from cudnnlint.values import Tensor, Unknown

if TYPE_CHECKING:
    from cudnnlint.interp.objects import InstanceV

DIFFERS = Unknown("differs between paths")


def is_one(held: InstanceV) -> bool:
    return held.cls.fields is not None and not held.unknown and is_named_tuple(held.cls)


def joined(one: InstanceV, other: InstanceV) -> Any:
    """What may be either: field by field."""
    if one.cls is not other.cls or not is_one(one) or not is_one(other) or one.items.keys() != other.items.keys():
        return DIFFERS
    made = type(one)(one.cls, one.span)
    made.assumptions = one.assumptions | other.assumptions
    made.items = {name: join_two(value, other.items[name]) for name, value in one.items.items()}
    return made


def is_of_tensors(held: InstanceV) -> bool:
    """Whether it may stand for all elements of a list: each of its fields is a tensor, a number or not known."""
    return is_one(held) and all(
        isinstance(value, bool | int | float | str | Unknown) or (isinstance(value, Tensor) and value.kind in KINDS)
        for value in held.items.values())


KINDS = ("tf", "numpy", "torch")
