"""collections.Counter: a dict of how often each element was met, and what it has beyond a dict's methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.interp.builtin.methods import DICT, method
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import BuiltinV
from cudnnlint.values import Unknown

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine
    from cudnnlint.interp.registry import Call

COUNTING = BuiltinV("collections.Counter", lambda c: 0)
"""What a Counter has as its default: the count of a key that is not there, which does not come to be by being read."""
_update = DICT["update"]


def counter(c: Call) -> DictV:
    made = DictV({}, default=COUNTING)
    _count(c.machine, made, c, 1)
    return made


@method(DICT, "update")
def update(m: Machine, value: DictV, c: Call) -> Any:
    return _count(m, value, c, 1) if value.default is COUNTING else _update(m, value, c)


@method(DICT, "subtract")
def subtract(m: Machine, value: DictV, c: Call) -> Any:
    return _count(m, value, c, -1)


@method(DICT, "most_common")
def most_common(m: Machine, value: DictV, c: Call) -> Any:
    """(element, count) by falling count; those of one count as they were met first."""
    wanted, counts = plain(c.get(0, "n")), {key: plain(item) for key, item in value.items.items()}
    if value.open or not all(isinstance(count, int) for count in counts.values()) \
            or not (wanted is None or (isinstance(wanted, int) and wanted >= 0)):
        return ListV([], value.open or Unknown("the most common elements"))
    return ListV(sorted(counts.items(), key=lambda item: -item[1])[:wanted])


@method(DICT, "total")
def total(m: Machine, value: DictV, c: Call) -> Any:
    counts = [plain(item) for item in value.items.values()]
    return sum(counts) if not value.open and all(isinstance(count, int) for count in counts) \
        else Unknown("a count", number=True)


def _count(m: Machine, value: DictV, c: Call, sign: int) -> None:
    """Add how often each element is among the arguments; a mapping gives numbers."""
    m.heap.touch(value)
    if c.kwargs:
        value.unknown = value.unknown or Unknown("counts that are given by name")
    for arg in c.args:
        other = plain(arg)
        found = elements(m, other)
        if isinstance(found, Unknown):
            value.unknown = value.unknown or Unknown("a count of elements that are not known")
            return
        told = other.items if type(other) is DictV and not other.is_set else None
        for each in found:
            _add(value, key_of(each), 1 if told is None else plain(told.get(each)), sign)


def _add(value: DictV, key: Any, number: Any, sign: int) -> None:
    before = plain(value.items.get(key, 0)) if not isinstance(key, Unknown) else key
    if isinstance(key, Unknown):
        value.unknown = value.unknown or Unknown("a count of elements that are not known")
    elif isinstance(before, int) and isinstance(number, int):
        value.items[key] = before + sign * number
    else:
        value.items[key] = Unknown("a count", number=True)
