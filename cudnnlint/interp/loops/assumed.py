"""Loops whose number of turns rests on an assumption: what a second turn makes of a first rests on it, too."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.names import target_scope
from cudnnlint.source.walk import walk
from cudnnlint.values import Tensor
from cudnnlint.values.assumption import Assumptions


class Turns:
    """Of one loop under way, the names that its body sets and what they had after the first turn."""

    __slots__ = ("_assumed", "_control", "_first", "_names")

    def __init__(self, m: Machine, body: Iterable[ast.stmt], assumed: Assumptions) -> None:
        self._assumed, self._control = assumed, m.frame.control
        self._names = {node.id for part in body for node in walk(part)
                       if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} if assumed else set()
        self._first: dict[str, Any] | None = None

    def follow(self, m: Machine, done: int) -> None:
        """A turn begins, of which that many came before: the program comes to it as far as the assumption holds."""
        if self._assumed and done:
            if self._first is None:
                self._first = self._now(m)
            m.frame.control |= self._assumed

    def left(self, m: Machine) -> None:
        """What the later turns changed rests on how many there were."""
        if self._first is None:
            return
        m.frame.control = self._control
        for name, value in self._now(m).items():
            first = self._first.get(name)
            rests = assume(value, self._assumed) if not _same(first, value) else _as_before(first, value)
            if rests is not value:
                scope = target_scope(m, name)
                m.heap.touch(scope)
                scope.items[name] = rests

    def _now(self, m: Machine) -> dict[str, Any]:
        found = {name: target_scope(m, name).items for name in self._names}
        return {name: items[name] for name, items in found.items() if name in items}


def _as_before(first: Any, value: Any) -> Any:
    """What any number of turns makes rests on no more than after the first."""
    if isinstance(first, Tensor) and isinstance(value, Tensor) and first.assumptions != value.assumptions:
        return Tensor(value.shape, value.dtype, value.kind, value.content, value.step, first.assumptions)
    return value


def _same(before: Any, after: Any) -> bool:
    """Whether a program would see no difference, as far as shapes go."""
    before, after = plain(before), plain(after)
    if isinstance(before, Tensor) and isinstance(after, Tensor):
        return before.shape == after.shape and before.dtype == after.dtype
    return before is after or (type(before) is type(after) and isinstance(after, int | float | str) and before == after)
