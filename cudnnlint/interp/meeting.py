"""Lists and dicts that each path made anew: where the paths meet one stands for all of them, joined by its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.join import join, unlike
from cudnnlint.interp.lists import ListV
from cudnnlint.values import Unknown
from cudnnlint.values.packed import like

MOST, DEEPEST = 64, 4
DIFFERS = Unknown("differs between paths")


class Meeting:
    """One meeting of paths.

    since   what is older than that was not made on one of the paths, and others may know it
    kinds   the classes whose objects are joined: lists and dicts, and nothing derived from them
    joined  is told what is made here
    """

    def __init__(self, since: int, kinds: frozenset[type], joined: dict[int, Any]) -> None:
        self.since, self.kinds, self.joined = since, kinds, joined
        self.made: dict[tuple[int, ...], Any] = {}
        self.partners: dict[int, tuple[int, ...]] = {}

    def states(self, states: Sequence[Any]) -> list[Any]:
        """Snapshots of a table, with one object under each name that had one of its own on every path."""
        found = {}
        first, *others = (items for items, _ in states)
        differing = {key for items in others for key in unlike(first, items)}
        for key in filter(differing.__contains__, first) if differing else ():
            if type(first[key]) in self.kinds and all(key in items for items in others):
                made = self.of([items[key] for items, _ in states])
                if made is not None:
                    found[key] = made
        return [({**items, **found}, unknown) for items, unknown in states] if found else list(states)

    def value(self, values: Sequence[Any]) -> Any:
        """What one of `values` is: their join, with lists and dicts joined by their parts."""
        first = values[0]
        if isinstance(first, tuple) and all(isinstance(v, tuple) and len(v) == len(first) for v in values):
            return like(first, [self.value(column) for column in zip(*values, strict=True)])
        found = self.of(values)
        return join(values) if found is None else found

    def of(self, values: Sequence[Any], depth: int = 0) -> Any:
        """The one for all of `values`; None where they are not such."""
        first = values[0]
        if type(first) not in self.kinds or any(not self._fits(first, value) for value in values):
            return None
        key = tuple(map(id, values))
        if len(set(key)) == 1:
            return None
        if any(self.partners.setdefault(each, key) != key for each in key):
            self._part(key)
            for value in values:
                loosen(value)  # what stands for others may be it
            return None
        if key not in self.made and depth < DEEPEST:
            self.made[key] = self._joined(values, depth)
        return self.made.get(key)

    def _fits(self, first: Any, value: Any) -> bool:
        if type(value) is not type(first) or value.born < self.since or value.unknown or len(value.items) > MOST:
            return False
        if isinstance(first, ListV):
            return len(value.items) == len(first.items)
        return not value.is_set and value.default is None and list(value.items) == list(first.items)

    def _joined(self, values: Sequence[Any], depth: int) -> Any:
        first = values[0]
        if isinstance(first, ListV):
            made: Any = ListV([self._part_of(column, depth) for column in zip(*(v.items for v in values), strict=True)])
        else:
            made = type(first)({key: self._part_of([v.items[key] for v in values], depth) for key in first.items})
        self.joined[id(made)] = made
        return made

    def _part_of(self, column: Sequence[Any], depth: int) -> Any:
        found = self.of(column, depth + 1)
        return join(column) if found is None else found

    def _part(self, key: tuple[int, ...]) -> None:
        """One of these was joined with others elsewhere: which names mean the same object depends on the path."""
        for other, made in self.made.items():
            if not set(other).isdisjoint(key):
                loosen(made)


def loosen(made: Any) -> None:
    """What it holds is not known any more."""
    if isinstance(made, ListV) and not made.unknown:
        made.loosen(DIFFERS)
    made.unknown = made.unknown or DIFFERS
