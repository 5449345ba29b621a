"""Lists that each turn of a loop lengthens by as much: how long they are though few of its turns are followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.lists import BoundedV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.source.walk import walk

LONGEST = 131_072
"""Longer lists stay of unknown length."""

Grown = list[tuple[ListV, int]]


def grown(m: Machine, node: ast.For | ast.AsyncFor, done: int, count: int) -> Grown:
    """The lists that `done` turns lengthened by nothing but the appends that stand in the body itself, each with its
    length after `count` turns."""
    if not done or not any(map(_adds, node.body)):
        return []
    leaves = ast.Break | ast.Return | ast.Continue | ast.Yield | ast.YieldFrom
    if any(isinstance(inner, leaves) for statement in node.body for inner in walk(statement)):
        return []
    return [(held, length) for held, length in _lengths(m, node, done, count) if length <= LONGEST]


def _lengths(m: Machine, node: ast.For | ast.AsyncFor, done: int, count: int) -> Iterator[tuple[ListV, int]]:
    before = {id(obj): state for obj, state in m.heap.journals[-1].values() if isinstance(obj, ListV)}
    for name, appends in _appended(node.body).items():
        held = plain(m.frame.scope.items.get(name))
        if not isinstance(held, ListV) or type(held) is BoundedV or held.unknown or id(held) not in before \
                or before[id(held)][1]:
            continue
        first = len(before[id(held)][0])
        if len(held.items) - first == done * appends:
            yield held, first + count * appends


def _appended(body: list[ast.stmt]) -> dict[str, int]:
    """How many elements every turn adds to each name, of those that are used for nothing else."""
    found = _added(body)
    uses = [inner.id for statement in body for inner in walk(statement) if isinstance(inner, ast.Name)]
    return {name: count for name, (count, places) in found.items() if count and uses.count(name) == places}


def _adds(statement: ast.stmt) -> bool:
    return bool(_added([statement]))


def _added(body: list[ast.stmt]) -> dict[str, tuple[int, int]]:
    """For each name how many elements a block adds, and in how many places; both arms of a branch must add as many."""
    found: dict[str, tuple[int, int]] = {}
    for statement in body:
        for name, (count, places) in _one(statement).items():
            before = found.get(name, (0, 0))
            found[name] = before[0] + count, before[1] + places
    return found


def _one(statement: ast.stmt) -> dict[str, tuple[int, int]]:
    """`name.append(value)` adds one, `name += [a, b]` as many as are written."""
    if isinstance(statement, ast.If) and statement.orelse:
        left, right = _added(statement.body), _added(statement.orelse)
        return {name: (left[name][0], left[name][1] + right[name][1]) for name in left
                if name in right and left[name][0] == right[name][0]}
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name) \
            and isinstance(statement.op, ast.Add) and isinstance(statement.value, ast.List):
        starred = any(isinstance(item, ast.Starred) for item in statement.value.elts)
        return {} if starred else {statement.target.id: (len(statement.value.elts), 1)}
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append" \
            and isinstance(call.func.value, ast.Name):
        return {call.func.value.id: (1, 1)}
    return {}


def settle(m: Machine, lists: Grown) -> None:
    """Give each its length, with as many of its typical element."""
    for held, length in lists:
        if held.unknown and held.kept is not None and held.kept[0] is held.unknown:
            made: Any = held.kept[1]
            m.heap.touch(held)
            held.items, held.unknown, held.kept = [made] * length, None, None
