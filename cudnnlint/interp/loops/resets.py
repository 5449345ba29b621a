"""Sums that a loop sets back on some of its turns: `if step % 10 == 0: total = 0.0`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cudnnlint.source.walk import walk

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine
    from cudnnlint.source import Span

Loop = ast.For | ast.While
Sets = tuple[range, frozenset[str]]
"""The lines of a loop's body, and what it sets to a number or None there."""


def is_reset(m: Machine, target: ast.expr, span: Span) -> bool:
    """Whether the innermost loop around `span` sets the target back, or each turn has set it before it comes there:
    what is added to then is nothing of the turns before."""
    tables: dict[str, list[Sets]] = m.notes.setdefault("resets", {})
    source = m.frame.module.source
    if source.path not in tables:
        tables[source.path] = [_sets(node) for node in _loops(m)]
    around = [each for each in tables[source.path] if span.line in each[0]]
    return (bool(around) and ast.unparse(target) in min(around, key=lambda each: len(each[0]))[1]) \
        or is_set_before(m, target, span)


def is_set_before(m: Machine, target: ast.expr, span: Span) -> bool:
    """Whether the body of the innermost loop, itself or by `with`, assigns something else to the target before."""
    loops = [node for node in _loops(m) if node.body[0].lineno <= span.line <= (node.body[-1].end_lineno or 0)]
    inner, name = max(loops, key=lambda node: node.lineno, default=None), ast.unparse(target)
    return inner is not None and any(
        name == ast.unparse(written) and name not in {ast.unparse(part) for part in walk(value)}
        for statement in _straight(inner.body) if (statement.end_lineno or 0) < span.line
        for targets, value in _pairs(statement)
        for written in (targets.elts if isinstance(targets, ast.Tuple | ast.List) else [targets]))


def _straight(body: list[ast.stmt]) -> Iterator[ast.Assign]:
    """The assignments that each turn makes."""
    for statement in body:
        if isinstance(statement, ast.Assign):
            yield statement
        elif isinstance(statement, ast.With | ast.AsyncWith):
            yield from _straight(statement.body)


def is_set_again(m: Machine, target: ast.Name, span: Span) -> bool:
    """Whether the innermost loop around the assignment at `span` sets that name anywhere else, by its own variables
    too."""
    loops = [node for node in _loops(m) if node.body[0].lineno <= span.line <= (node.body[-1].end_lineno or 0)]
    inner = max(loops, key=lambda node: node.lineno, default=None)
    return inner is None or any(isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part is not target
                                and part.id == target.id for part in walk(inner))


def _loops(m: Machine) -> list[Loop]:
    """Those of the source that is run, looked for once."""
    tables: dict[str, list[Loop]] = m.notes.setdefault("loops", {})
    source = m.frame.module.source
    if source.path not in tables:
        tables[source.path] = [node for node in walk(source.tree()) if isinstance(node, ast.For | ast.While)]
    return tables[source.path]


def _sets(node: Loop) -> Sets:
    found = set[str]()
    for statement in node.body:
        for inner in walk(statement):
            for target, value in _pairs(inner) if isinstance(inner, ast.Assign) else ():
                if isinstance(value, ast.Constant):
                    found.add(ast.unparse(target))
    return range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1), frozenset(found)


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What gets what: `total = 0`, `total, count = 0, 0`."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


__all__ = ["is_reset", "is_set_again"]
