"""Where the numbers come from that an argument of a constructor is computed of: `int(filters * alpha)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import Scope
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch

MOST = 3
"""Names that are told of."""


def spelled_out(c: Call, problem: Mismatch, arguments: Mapping[str, Any]) -> Mismatch:
    """With the fact `origins`: (span, text) of the assignments that gave the names in the argument their numbers."""
    written = _written(c.node, problem.argument, list(arguments)) if problem.argument else None
    if written is None or isinstance(written, ast.Constant):
        return problem
    names = dict.fromkeys(node.id for node in walk(written) if isinstance(node, ast.Name))
    found = tuple(told for name in list(names)[:MOST] for told in _given(c.machine, name))
    return replace(problem, facts=(*problem.facts, ("origins", found))) if found else problem


def _written(node: ast.AST, name: str, order: Sequence[str]) -> ast.expr | None:
    if not isinstance(node, ast.Call):
        return None
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
    at = order.index(name) if name in order else len(node.args)
    plainly = not any(isinstance(value, ast.Starred) for value in node.args[:at + 1])
    return node.args[at] if plainly and at < len(node.args) else None


def _given(m: Machine, name: str) -> Iterator[tuple[Span, str]]:
    """Where a number is all that is ever assigned to a name in its scope."""
    scope: Scope | None = m.frame.scope
    while scope is not None and name not in scope.items:
        scope = scope.parent
    value = plain(scope.items[name]) if scope is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    function = m.frame.function
    if scope is not m.frame.module.scope and (function is None or scope is not m.frame.scope):
        return
    body = m.frame.module.source.tree() if function is None or scope is m.frame.module.scope else function.node
    nodes = walk(body)
    places = [node for node in nodes if isinstance(node, ast.Assign) and len(node.targets) == 1
              and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name]
    times = sum(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in nodes)
    if len(places) == times == 1:
        yield m.span(places[0]), str(value)
