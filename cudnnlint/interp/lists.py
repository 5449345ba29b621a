"""Lists: their elements one by one, or what all of them are like once their number or order is not known."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from cudnnlint.interp.join import join
from cudnnlint.values import Assumed, Tensor, Unknown

clock = itertools.count()
"""Orders the birth of objects and the opening of journals."""
JOINED = 256
"""Of longer lists only elements that are all equal have a typical one."""
LARGEST = 131_072
"""Elements that a list is followed with, those of the lists within it included."""
SMALL = 64
"""Whether so few elements hold too much is asked of each of them, not of all together."""
TOO_LARGE = Unknown("a long list")


class ListV:
    """A list; `unknown` is set once its length or order is not known any more.

    kept  (unknown, element): what each element is like that was there when `unknown` was set; those in `items` came
          later. Whoever sets another `unknown` says by that that nothing is known of the elements.
    """

    __slots__ = ("born", "items", "kept", "unknown")
    differing = "list differs between paths"
    """Why its length is not known where paths meet that left it at different ones."""

    def __init__(self, items: Sequence[Any] = (), unknown: Unknown | None = None) -> None:
        self.born = next(clock)
        self.items: list[Any] = list(items)
        self.unknown = unknown
        self.kept: tuple[Unknown, Any] | None = None

    def snapshot(self) -> Any:
        return list(self.items), self.unknown, self.kept

    def restore(self, state: Any) -> None:
        self.items, self.unknown, self.kept = list(state[0]), state[1], state[2]

    def merge(self, states: Sequence[Any]) -> None:
        unknown = next((unknown for _, unknown, _ in states if unknown), None)
        first = states[0][0]
        if any(len(items) != len(first) for items, *_ in states):
            unknown = unknown or Unknown(self.differing)
            merged: list[Any] = []
        else:
            merged = [join(column) for column in zip(*(items for items, *_ in states), strict=True)]
        elements = _all(states) if unknown else None
        self.items, self.unknown, self.kept = merged, unknown, None
        if unknown and elements is not None and _is_data(made := join_given(elements)):
            former = next((kept[1] for *_, kept in states if kept is not None and alike(kept[1], made)), made)
            self.items, self.kept = [], (unknown, former)

    def typical(self) -> Any:
        """What each element is like, or Unknown, of a list whose length or order is not known."""
        elements = _all([self.snapshot()])
        made: Any = join_given(elements) if elements else Unknown("an element of an unknown list")
        if getattr(made, "is_set", None) is False:
            made.many = True
        return made if _is_data(made) else Unknown("an element of an unknown list")

    def loosen(self, why: Unknown, more: Iterable[Any] = ()) -> None:
        """Length or order are lost; `more` may be among the elements from here on."""
        elements = _all([self.snapshot()])
        self.unknown, self.kept = why, None
        if elements is not None:
            self.kept = _kept(why, [*elements, *more])

    def copy(self, items: Sequence[Any] | None = None) -> ListV:
        """A list of its own with these elements, or with some of those of one whose order is not known."""
        made = ListV(self.items if items is None else items, self.unknown)
        made.kept = self.kept
        return made

    def sliced(self, items: Sequence[Any]) -> ListV:
        """What a slice with these elements is: a list, whatever this one is."""
        return ListV(items)

    def settle(self) -> ListV:
        """Of a list just made, in which `items` are all that its elements may be."""
        if self.unknown:
            self.kept = _kept(self.unknown, self.items)
        return self


def is_too_large(items: Sequence[Any], times: int = 1) -> bool:
    """Whether so many lists of these elements hold more than LARGEST, with what is in the lists and tuples within.

    >>> row = ListV([0] * 512)
    >>> is_too_large([row] * 255), is_too_large([row] * 256), is_too_large([row], 256)
    (False, True, True)
    """
    room, todo = LARGEST, list[tuple[Sequence[Any], int]]([(items, times)])
    while todo and room >= 0:
        part, times = todo.pop()
        room -= len(part) * times
        if is_one(part):
            part, times = part[:1], len(part) * times
        kinds = set(map(type, part))  # hardly any list of many elements has others within
        if ListV in kinds:
            todo += ((one.items, times) for one in part if type(one) is ListV)
        if tuple in kinds:
            todo += ((one, times) for one in part if type(one) is tuple)
    return room < 0


def is_one(items: Sequence[Any]) -> bool:
    """Whether many elements are one and the same, as a loop leaves them that was followed for one turn of thousands.

    >>> row = ListV()
    >>> is_one([row] * 100), is_one([row, *[ListV()] * 99, row]), is_one([row, row])
    (True, False, False)
    """
    return len(items) > SMALL and items[0] is items[-1] and len(set(map(id, items))) == 1


def _kept(why: Unknown, elements: list[Any]) -> tuple[Unknown, Any] | None:
    made = join_given(elements) if elements else None
    return (why, made) if elements and _is_data(made) else None


class YieldsV(ListV):
    """What a generator yields: once paths differ, one typical element is kept."""

    __slots__ = ()

    def merge(self, states: Sequence[Any]) -> None:
        super().merge(states)
        if not self.items and self.unknown:
            yielded = [item for items, *_ in states for item in items]
            self.items = [join_given(yielded)] if yielded else []


FEW = 64
"""The longest deque of which every element is known once it is full."""


class BoundedV(ListV):
    """A deque with a maxlen, `most` if that is known: beyond it drops what it was given first, and so never grows."""

    __slots__ = ("most",)
    differing = "a deque that fills up"
    """Whether enough is in it is a test that goes either way as the program runs, and both ways must work."""

    def __init__(self, items: Sequence[Any], most: int | None) -> None:
        super().__init__(items)
        self.most = most

    def bound(self, name: str = "append") -> None:
        """It was given something by the method `name`, maybe more than it holds: a few frames are told one by one."""
        if not self.items or self.unknown is not None or (self.most is not None and len(self.items) <= self.most):
            return
        if self.most is None or self.most > FEW:
            self.loosen(Unknown("a deque of bounded length"))
        elif name.endswith("left"):
            del self.items[self.most:]
        else:
            del self.items[:len(self.items) - self.most]


class LabelsV(ListV):
    """The labels of a table: an Index of pandas, which has them in order as a list has and is none."""

    __slots__ = ()

    def sliced(self, items: Sequence[Any]) -> LabelsV:
        return LabelsV(items)

    def copy(self, items: Sequence[Any] | None = None) -> LabelsV:
        made = LabelsV(self.items if items is None else items, self.unknown)
        made.kept = self.kept
        return made


def added(a: ListV, b: ListV) -> ListV:
    """`a + b`."""
    made = ListV(a.items + b.items, a.unknown or b.unknown)
    elements = _all([a.snapshot(), b.snapshot()])
    if made.unknown and elements is not None:
        made.kept = _kept(made.unknown, elements)
    return made


def _all(states: Sequence[Any]) -> list[Any] | None:
    """Every element that a list may have in one of these states, or None where some are not known."""
    found: list[Any] = []
    for items, unknown, kept in states:
        if unknown and kept is not None and kept[0] is unknown:
            found.append(kept[1])
        elif unknown:
            return None
        found += items
    return found


def join_given(values: Sequence[Any]) -> Any:
    """The join of what is given away and not shared any more: lists of one length are joined item by item."""
    first = values[0]
    if len(values) > JOINED:
        return first if all(value is first or value == first for value in values) else Unknown("an element")
    if all(type(value) is tuple and len(value) == len(first) for value in values):
        return tuple(join_given(column) for column in zip(*values, strict=True))
    lists = [value for value in values if type(value) is ListV]
    if len(lists) == len(values) and any(value is not first for value in values):
        return _join_lists(lists)
    if (keys := _keys(first)) is not None and any(value is not first for value in values) \
            and all(_keys(value) == keys for value in values):
        make: Any = type(first)
        return make({key: join_given([value.items[key] for value in values]) for key in keys})
    return join(values)


def _join_lists(lists: list[ListV]) -> Any:
    if all(not value.unknown for value in lists) and len({len(value.items) for value in lists}) == 1:
        return ListV([join_given(column) for column in zip(*(value.items for value in lists), strict=True)])
    elements = _all([value.snapshot() for value in lists])
    if not elements:
        return Unknown("differs between paths")
    made = ListV([], Unknown("lists of different length"))
    made.kept = _kept(made.unknown, elements)  # type: ignore[arg-type]
    return made


def _is_data(value: Any) -> bool:
    """Whether something may stand for all elements of a list: numbers, text and arrays, and structures of them."""
    held: Any = value.value if isinstance(value, Assumed) else value
    if getattr(held, "is_data", False):  # says so itself
        return True
    if isinstance(held, Tensor):
        return held.kind in ("tf", "numpy", "torch")
    if isinstance(held, tuple):
        return _are_data(held) and any(map(_is_data, held))
    if isinstance(held, ListV):
        return held.kept is not None if held.unknown else _are_data(held.items)
    if (keys := _keys(held)) is not None:
        return all(isinstance(key, str) for key in keys) and _are_data(held.items.values())
    return isinstance(held, bool | int | float | str | bytes) or (isinstance(held, Unknown) and held.number)


def _are_data(values: Iterable[Any]) -> bool:
    return all(isinstance(value, Unknown) or _is_data(value) for value in values)


def _keys(value: Any) -> Any:
    """Of a dict all of whose keys are known, else None."""
    return list(value.items) if getattr(value, "is_set", None) is False and not value.unknown else None


def alike(a: Any, b: Any) -> bool:
    """Whether two elements say the same of a list."""
    if isinstance(a, ListV) and isinstance(b, ListV):
        if a is b:
            return True
        if a.unknown or b.unknown:
            return bool(a.unknown and b.unknown and a.kept and b.kept and alike(a.kept[1], b.kept[1]))
        a, b = tuple(a.items), tuple(b.items)
    if (keys := _keys(a)) is not None:
        return keys == _keys(b) and all(alike(a.items[key], b.items[key]) for key in keys)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    return bool(type(a) is type(b) and a == b)


__all__ = ["ListV", "YieldsV", "added", "alike", "clock", "join_given"]
