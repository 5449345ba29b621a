"""Methods of sets: what their operators do, of any number of iterables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.interp.builtin.methods import DICT, method
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.operators import of_sets
from cudnnlint.interp.raising import would_raise
from cudnnlint.values import Unknown

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine
    from cudnnlint.interp.registry import Call

SYMBOLS = {"union": "|", "intersection": "&", "difference": "-", "symmetric_difference": "^"}


@method(DICT, *SYMBOLS)
def combined(m: Machine, value: DictV, c: Call) -> Any:
    """A set of its own."""
    symbol = SYMBOLS[c.callee.name]
    made: Any = value.copy(dict(value.items))
    for arg in c.args:
        other = _as_set(m, arg)
        made = other if isinstance(other, Unknown) else of_sets(symbol, made, other)
        if isinstance(made, Unknown):
            return DictV({}, made, is_set=True)
    return made


@method(DICT, "issubset", "issuperset", "isdisjoint")
def related(m: Machine, value: DictV, c: Call) -> Any:
    other = _as_set(m, c.args[0]) if c.args else Unknown("no set")
    if isinstance(other, Unknown) or value.open:
        return Unknown(f"{c.callee.name}() of an unknown set")
    if c.callee.name == "isdisjoint":
        return value.items.keys().isdisjoint(other.items)
    return value.items.keys() <= other.items.keys() if c.callee.name == "issubset" \
        else value.items.keys() >= other.items.keys()


@method(DICT, "discard", "remove")
def discard(m: Machine, value: DictV, c: Call) -> Any:
    key = key_of(c.args[0]) if c.args else Unknown("no element")
    m.heap.touch(value)
    if isinstance(key, Unknown):
        value.unknown = Unknown("removed an unknown element")
    elif key in value.items:
        del value.items[key]
    elif c.callee.name == "remove" and not value.unknown:
        would_raise(m, KeyError)


def _as_set(m: Machine, value: Any) -> DictV | Unknown:
    found = elements(m, value)
    if isinstance(found, Unknown):
        return found
    keys = [key_of(item) for item in found]
    return next((key for key in keys if isinstance(key, Unknown)), None) or DictV(dict.fromkeys(keys), is_set=True)
