"""Lists that each turn of a loop lengthens by as much: how long they are though few of its turns are followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, plain

LONGEST = 4_096
"""Longer lists stay of unknown length."""

Grown = list[tuple[ListV, int]]


def grown(m: Machine, node: ast.For | ast.AsyncFor, done: int, count: int) -> Grown:
    """The lists that `done` turns lengthened by nothing but the appends that stand in the body itself, each with its
    length after `count` turns."""
    if not done or any(isinstance(inner, ast.Break | ast.Return | ast.Continue | ast.Yield | ast.YieldFrom)
                       for statement in node.body for inner in ast.walk(statement)):
        return []
    return [(held, length) for held, length in _lengths(m, node, done, count) if length <= LONGEST]


def _lengths(m: Machine, node: ast.For | ast.AsyncFor, done: int, count: int) -> Iterator[tuple[ListV, int]]:
    before = {id(obj): state for obj, state in m.heap.journals[-1].values() if isinstance(obj, ListV)}
    for name, appends in _appended(node.body).items():
        held = plain(m.frame.scope.items.get(name))
        if not isinstance(held, ListV) or held.unknown or id(held) not in before or before[id(held)][1]:
            continue
        first = len(before[id(held)][0])
        if len(held.items) - first == done * appends:
            yield held, first + count * appends


def _appended(body: list[ast.stmt]) -> dict[str, int]:
    """How often each name is appended to in every turn, of those that are used for nothing else."""
    found: dict[str, int] = {}
    for statement in body:
        if (name := _target(statement)) is not None:
            found[name] = found.get(name, 0) + 1
    uses = [inner.id for statement in body for inner in ast.walk(statement) if isinstance(inner, ast.Name)]
    return {name: times for name, times in found.items() if uses.count(name) == times}


def _target(statement: ast.stmt) -> str | None:
    """`name` of a statement `name.append(value)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append" \
            and isinstance(call.func.value, ast.Name):
        return call.func.value.id
    return None


def settle(m: Machine, lists: Grown) -> None:
    """Give each its length, with as many of its typical element."""
    for held, length in lists:
        if held.unknown and held.kept is not None and held.kept[0] is held.unknown:
            made: Any = held.kept[1]
            m.heap.touch(held)
            held.items, held.unknown, held.kept = [made] * length, None, None
