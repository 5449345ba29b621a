"""Indices that a loop counts under a condition that is not known: nobody says in which turns it holds."""

from __future__ import annotations

import ast

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.telling import TURNS
from cudnnlint.source.walk import walk


def is_of_some_turn(m: Machine, node: ast.AST) -> bool:
    """Whether `node` is `x[i]` within a loop that changes `i`, under a condition within it that is not known: it may
    keep the program from there as long as `i` does not fit.
    """
    if not m.loops or not isinstance(node, ast.Subscript) \
            or all(reason == TURNS for reason in m.conditions[m.loops[0].conditions:]):
        return False
    read = {one.id for one in walk(node.slice) if isinstance(one, ast.Name)}
    source = m.frame.module.source
    return bool(read) and source is not None and any(
        isinstance(one, ast.Name) and one.id in read and not isinstance(one.ctx, ast.Load)
        for loop in walk(source.tree()) if isinstance(loop, ast.For | ast.While)
        and loop.lineno <= node.lineno <= (loop.end_lineno or 0) for one in walk(loop))


__all__ = ["is_of_some_turn"]
