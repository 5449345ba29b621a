"""Methods that work at both ends: of a deque, which is a list here, and of dicts, which remember their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.interp.builtin.methods import DICT, LIST, method
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import plain
from cudnnlint.interp.raising import would_raise
from cudnnlint.values import Unknown

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine
    from cudnnlint.interp.registry import Call


@method(LIST, "appendleft", "extendleft")
def put_before(m: Machine, value: ListV, c: Call) -> Any:
    given = c.args[:1] if getattr(c.callee, "name", "") == "appendleft" else elements(m, c.args[0])
    m.heap.touch(value)
    if isinstance(given, Unknown) or len(value.items) + len(given) > m.limits.items:
        value.loosen(Unknown("what was put before it"), () if isinstance(given, Unknown) else given)
    else:
        value.items[:0] = reversed(given)


@method(LIST, "popleft")
def pop_first(m: Machine, value: ListV, c: Call) -> Any:
    m.heap.touch(value)
    if value.unknown is not None:
        return value.typical()
    if not value.items:
        would_raise(m, IndexError)
        return Unknown("popped of an empty deque")
    return value.items.pop(0)


@method(LIST, "rotate")
def rotate(m: Machine, value: ListV, c: Call) -> Any:
    turns = plain(c.args[0]) if c.args else 1
    m.heap.touch(value)
    if not isinstance(turns, int):
        value.loosen(Unknown("rotated by an unknown number"))
    elif value.items:
        at = -turns % len(value.items)
        value.items = value.items[at:] + value.items[:at]


@method(DICT, "popitem")
def pop_item(m: Machine, value: DictV, c: Call) -> Any:
    """(key, value) of what was put in last, or first."""
    last = plain(c.get(0, "last", True))
    m.heap.touch(value)
    if value.is_set or value.open or not isinstance(last, bool):
        value.unknown = Unknown("changed by popitem()")
        return Unknown("popitem()")
    if not value.items:
        would_raise(m, KeyError)
        return Unknown("popped of an empty dict")
    key = list(value.items)[-1 if last else 0]
    return key, value.remove(key)


@method(DICT, "move_to_end")
def move_to_end(m: Machine, value: DictV, c: Call) -> Any:
    key, last = key_of(c.args[0]) if c.args else Unknown(), plain(c.get(1, "last", True))
    m.heap.touch(value)
    if isinstance(key, Unknown) or not isinstance(last, bool):
        value.unknown = value.unknown or Unknown("an order that is not known")
    elif key in value.items:
        moved = value.items.pop(key)
        value.items = {**value.items, key: moved} if last else {key: moved, **value.items}
    elif not value.unknown:
        would_raise(m, KeyError)
