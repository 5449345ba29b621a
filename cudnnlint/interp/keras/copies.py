"""Copies of what a constructor made: objects of the program, the layers that they hold, and what these share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.interp.heap import DictV, ListV, clock
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.objects import BoundV, ClassV, External, FunctionV, InstanceV, ModuleV
from cudnnlint.ops.protocol import Policy
from cudnnlint.source import Span
from cudnnlint.values import Assumed, Unknown

NUMBERS = (bool, int, float, complex)
ATOMS = frozenset({type(None), *NUMBERS, str, bytes, External, Unknown, Assumed, ClassV, ModuleV, Policy, frozenset,
                   Span})
"""What is never changed in place, and holds nothing that is."""


class NotPlain(Exception):
    """An argument or a part that cannot be told apart by its value, or copied."""


class Copy:
    """Copies what a constructor made, with what it shares among its parts; `renamed` maps automatic names.

    began  what is older than that was not made by the constructor
    """

    __slots__ = ("began", "made", "renamed")

    def __init__(self, began: int, renamed: dict[str, str] | None = None) -> None:
        self.began, self.renamed = began, renamed or {}
        self.made: dict[int, Any] = {}

    def __call__(self, value: Any) -> Any:
        kind = type(value)
        if kind in ATOMS:
            return value
        if kind is tuple:
            return tuple(map(self, value)) if value else value
        copier = COPIERS.get(kind)
        if copier is None:
            raise NotPlain
        known = self.made.get(id(value))
        return known if known is not None else copier(self, value)

    def fresh(self, value: Any) -> None:
        if value.born < self.began:
            raise NotPlain


def _instance(copy: Copy, value: InstanceV) -> InstanceV:
    if copy.began:
        copy.fresh(value)
    made = copy.made[id(value)] = InstanceV(value.cls, value.span)
    made.unknown, made.assumptions = value.unknown, value.assumptions
    made.items = {name: item if type(item) in ATOMS else copy(item) for name, item in value.items.items()}
    made.extra = copy(value.extra)
    return made


def _layer(copy: Copy, value: LayerV) -> LayerV:
    if copy.began:
        copy.fresh(value)
        if value.model is not None or value.calls or (value.outcomes is None and not _all_plain(value)):
            raise NotPlain
    made = copy.made[id(value)] = LayerV.__new__(LayerV)
    made.__dict__ = {**value.__dict__, "born": next(clock), "calls": [], "added": value.added[:], "read": {},
                     "name": copy.renamed.get(value.name, value.name)}
    if value.user is not None:
        made.user = copy(value.user)
    made.extra = {name: copy(item) for name, item in value.extra.items()} if value.extra else {}
    return made


def _all_plain(layer: LayerV) -> bool:
    return all(type(value) in ATOMS or type(value) is ObjectV
               for table in (layer.arguments, layer.base) for value in table.values())


def _list(copy: Copy, value: ListV) -> ListV:
    if copy.began:
        copy.fresh(value)
        if value.unknown:
            raise NotPlain  # what its elements are like is shared by all that know it
    made = copy.made[id(value)] = ListV()
    made.items = [copy(item) for item in value.items]
    return made


def _dict(copy: Copy, value: DictV) -> DictV:
    if copy.began:
        copy.fresh(value)
    made = copy.made[id(value)] = DictV({}, value.unknown, is_set=value.is_set, absent=value.absent)
    if value.default is not None:
        raise NotPlain
    made.items = {key: copy(item) for key, item in value.items.items()}
    return made


def _bound(copy: Copy, value: BoundV) -> BoundV:
    return BoundV(copy(value.function), copy(value.receiver))


def _function(copy: Copy, value: FunctionV) -> FunctionV:
    """One that was there before; what is defined in a constructor may hold its object."""
    if copy.began and value.scope.born >= copy.began:
        raise NotPlain
    return value


def _object(copy: Copy, value: ObjectV) -> ObjectV:
    if not all(type(item) in ATOMS for item in (*value.args, *value.kwargs.values())):
        raise NotPlain
    return value


COPIERS: dict[type, Callable[[Copy, Any], Any]] = {
    InstanceV: _instance, LayerV: _layer, ListV: _list, DictV: _dict, BoundV: _bound, FunctionV: _function,
    ObjectV: _object,
}
