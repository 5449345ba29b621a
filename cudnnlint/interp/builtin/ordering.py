"""Builtins that compare elements: sorted, min and max, by the elements themselves or by a key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cudnnlint.interp.builtin.functions import BUILTINS, builtin
from cudnnlint.interp.builtin.sequences import opened
from cudnnlint.interp.graphs.open_extents import ORDERED, refuse_number_of
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.mistakes.one_value import tell_of_compared
from cudnnlint.interp.objects import BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.numpy_int import number_in
from cudnnlint.values.unknown import put_together

MOST = 10_000
"""Elements; of more than that the order is not followed."""


@builtin("sorted")
def sorted_(c: Call) -> Any:
    found = _elements(c)
    order = None if isinstance(found, Unknown) else arranged(c, found)
    return _disordered(c, found) if order is None else ListV(order)


def arranged(c: Call, found: Sequence[Any]) -> list[Any] | None:
    """Elements in the order that `key` and `reverse` of a call give them; None where that is not known."""
    flag = plain(c.kwargs.get("reverse", False))
    if "key" not in c.kwargs:  # by which two of a set may be alike
        found = put_together(found)
    keys = None if c.kwargs.keys() - {"reverse", "key"} else _keys(c, found)
    if keys is None or not isinstance(flag, bool):
        return None
    order, taken = sorted(range(len(found)), key=keys[0].__getitem__, reverse=flag), keys[1]
    return [assume(found[place], taken) for place in order]


def _disordered(c: Call, found: Any) -> ListV:
    """The same elements in an order that is not known."""
    why = Unknown("an order that is not known")
    if isinstance(found, Unknown):
        return opened(c, why)
    return ListV(found if len(found) <= c.machine.limits.items else [], why).settle()


def _extreme(pick: Callable[..., int]) -> Callable[[Call], Any]:
    def run(c: Call) -> Any:
        found = c.args if len(c.args) > 1 else _elements(c)
        if isinstance(found, Unknown) or set(c.kwargs) - {"default", "key"}:
            return found if isinstance(found, Unknown) else Unknown("max or min with a key")
        if not found:
            return c.kwargs.get("default", Unknown("max or min of nothing"))
        keys = _keys(c, found)
        if keys is None:
            if "key" not in c.kwargs:
                tell_of_compared(c.machine, found, pick.__name__, c.span)
            for value in found if len(found) < MOST else ():
                refuse_number_of(c.machine, value, f"{pick.__name__}()", ORDERED, c.node)
            return _of_numbers(list(map(plain, found)))
        place = pick(range(len(found)), key=keys[0].__getitem__)
        return assume(found[place] if "key" in c.kwargs else number_in(plain(found[place])), keys[1])

    return run


def _of_numbers(found: list[Any]) -> Unknown:
    """Of numbers it is one; among fractions, as in a warm-up, mostly another in each turn where one of them is."""
    loops = {id(one.loop): one.loop for one in found if isinstance(one, Unknown) and one.loop is not None}
    number = all(one.number if isinstance(one, Unknown) else isinstance(one, int | float) for one in found)
    fractions = any(isinstance(one, float) for one in found)
    bounded = any(isinstance(one, int | float) for one in found)
    return Unknown("max or min of a number" if bounded else "max or min of unknown values", number=number,
                   loop=next(iter(loops.values())) if number and fractions and len(loops) == 1 else None)


def _elements(c: Call) -> Any:
    from cudnnlint.interp.iterate import elements

    return elements(c.machine, c.args[0]) if c.args else Unknown("nothing")


def _keys(c: Call, found: Sequence[Any]) -> tuple[list[Any], Assumptions] | None:
    """What is compared, if all of it is known and can be, and what that rests on."""
    if len(found) > MOST:
        return None
    key = plain(c.kwargs.get("key"))
    keys = list(found) if key is None else [c.machine.call(key, [item], {}, c.node) for item in found]
    taken: Assumptions = frozenset().union(*(assumptions_of(item) for item in keys))
    raw = [_comparable(item) for item in keys]
    for compared in (raw, _first_parts(raw)):
        kinds = {_kind(item) for item in compared}
        if len(kinds) < 2 and None not in kinds and (compared or not raw):
            return compared, taken
    return None


def _first_parts(keys: list[Any]) -> list[Any]:
    """Of tuples the first parts, if no two are equal: the rest is not asked for, as in `sorted(table.items())`."""
    if not all(isinstance(key, tuple) and key for key in keys):
        return []
    parts = [key[0] for key in keys]
    return parts if all(isinstance(part, str | int | float) for part in parts) and len(set(parts)) == len(parts) \
        else []


def _comparable(value: Any) -> Any:
    held = number_in(plain(value))
    return tuple(map(_comparable, held)) if isinstance(held, tuple) else held


def _kind(value: Any) -> Any:
    """What values can be compared with each other: numbers, texts, tuples of the same; None for others."""
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, tuple):
        kinds = tuple(map(_kind, value))
        return None if None in kinds else kinds
    return "text" if isinstance(value, str) else None


BUILTINS["max"] = BuiltinV("max", _extreme(max))
BUILTINS["min"] = BuiltinV("min", _extreme(min))
