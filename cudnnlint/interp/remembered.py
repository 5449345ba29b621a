"""Functions of numbers that call themselves: asked for the same again, they give the same.

Which layers of a HarDNet are linked, and how wide they are, is computed by such a function; followed call by call it
takes thousands of steps. A call is remembered if it read nothing that may change and did nothing but return numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from cudnnlint.interp.binding import STAR
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.copies import NUMBERS, NotPlain
from cudnnlint.interp.keras.moulds import by_value, circumstances
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import MISSING, ClassV, FunctionV, InstanceV
from cudnnlint.interp.recording import Recording
from cudnnlint.interp.registry import Call
from cudnnlint.source.asked import rely
from cudnnlint.source.walk import walk
from cudnnlint.values import Assumed

REMEMBERED = "remembered"
"""Note of the functions that called themselves: their results by arguments, by their def nodes."""
STEPS = 2
"""What a result that is remembered costs, in evaluated expressions."""


class Result:
    """What a call returned, and what it looked up: (table, name, value)."""

    __slots__ = ("record", "value")

    def __init__(self, record: Recording, value: Any) -> None:
        self.record, self.value = record, value

    def holds(self) -> bool:
        return all(table.items.get(name, MISSING) is value for table, name, value in self.record.reads.values())


def calls_itself(m: Machine, node: ast.AST, *, again: bool) -> bool:
    """Whether a function is one of those that call themselves; `again` says that it is under way already."""
    if again:
        m.notes.setdefault(REMEMBERED, {}).setdefault(node, {})
        return True
    known = m.notes.get(REMEMBERED)
    return known is not None and node in known


def is_of_numbers(function: FunctionV, c: Call) -> bool:
    """Whether a call is of numbers and other plain values only: the recursion goes as deep as calls may."""
    try:
        _arguments(function, c)
    except NotPlain:
        return False
    return True


def remembered(m: Machine, c: Call, function: FunctionV, follow: Callable[[], Any]) -> Any:
    """The result of a call of a function that calls itself; `follow` goes through its body."""
    results: dict[Any, Result] = m.notes[REMEMBERED][function.node]
    try:
        key = (function.scope, *circumstances(m), *_arguments(function, c))
    except NotPlain:
        return follow()
    known = results.get(key)
    if known is not None and known.holds():
        m.tick(STEPS)
        rely(known.record.asked)
        if m.recording is not None:
            m.recording.reads.update(known.record.reads)
        return _again(m, known.value)
    record = Recording(m)
    value = record.follow(m, follow)
    if not (record.refused or record.created or record.doubts or record.names):
        with suppress(NotPlain):
            results[key] = Result(record, _again(m, value))
    return value


CACHED = "cached"
"""Note of what functions under functools.lru_cache gave, by def node and arguments."""


def once(m: Machine, c: Call, function: FunctionV, follow: Callable[[], Any]) -> Any:
    """What a function under functools.lru_cache gives: of the same arguments what it gave before, the same object."""
    given: dict[Any, Any] = m.notes.setdefault(CACHED, {})
    try:
        if STAR in c.kwargs:
            raise NotPlain
        key = (id(function.node), id(function.scope), *map(_told_apart, c.args),
               *((name, _told_apart(value)) for name, value in sorted(c.kwargs.items())))
    except NotPlain:
        return follow()
    if m.recording is not None:
        m.recording.refused = True
    if key in given:
        return given[key][0]
    value = follow()
    if not m.uncertain:  # what the key names by its id lives as long as the key
        given[key] = value, function, c
    return value


def _told_apart(value: Any) -> Any:
    return id(value) if isinstance(value, InstanceV) else by_value(value)


def _arguments(function: FunctionV, c: Call) -> tuple[Any, ...]:
    """By their values; of a method's object its class counts, if it is asked for nothing but the method itself."""
    if STAR in c.kwargs:
        raise NotPlain
    own = c.args[:1] if function.owner is not None and c.args and _asks_only_itself(function.node) else []
    return (*(_class_of(one, function.name) for one in own), *map(by_value, c.args[len(own):]),
            *((name, by_value(value)) for name, value in sorted(c.kwargs.items())))


def _class_of(receiver: Any, method: str) -> ClassV:
    if isinstance(receiver, ClassV):
        return receiver
    if isinstance(receiver, InstanceV) and method not in receiver.items:
        return receiver.cls
    raise NotPlain


def _asks_only_itself(node: Any) -> bool:
    """Whether a method does nothing with its object but call itself."""
    known: bool | None = getattr(node, "cudnnlint_asks_only_itself", None)
    if known is None:
        first = [*node.args.posonlyargs, *node.args.args][:1]
        named = {one.arg for one in first}
        nodes = list(walk(node))
        uses = sum(isinstance(one, ast.Name) and one.id in named for one in nodes)
        calls = sum(isinstance(one, ast.Attribute) and one.attr == node.name and isinstance(one.value, ast.Name)
                    and one.value.id in named for one in nodes)
        known = node.cudnnlint_asks_only_itself = bool(named) and uses == calls
    return known


def _again(m: Machine, value: Any) -> Any:
    """A value of numbers and strings, its lists made anew: each item is a step, as lists of lists grow without end."""
    kind = type(value)
    if kind is tuple:
        m.tick(len(value))
        return tuple(_again(m, item) for item in value)
    if kind is ListV and value.unknown is None:
        m.tick(len(value.items))
        made = ListV()
        made.items = [_again(m, item) for item in value.items]
        return made
    if value is None or kind in (*NUMBERS, str) or (kind is Assumed and type(value.value) in (*NUMBERS, str)):
        return value
    raise NotPlain
