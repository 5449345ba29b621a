"""What a program makes the first time only, and keeps: `if self.graph is None: self.graph = ...`."""

from __future__ import annotations

import ast

from cudnnlint.interp.machine import Machine
from cudnnlint.source.walk import walk

ONCE = "not there yet"
"""Among the conditions of a block that makes what was not there."""


def run_body(m: Machine, node: ast.If) -> int:
    """The body of an `if` whose test is not known."""
    if not _makes_what_was_not(node):
        return m.run_block(node.body)
    m.conditions.append(ONCE)
    try:
        return m.run_block(node.body)
    finally:
        m.conditions.pop()


def _makes_what_was_not(node: ast.If) -> bool:
    known: bool | None = getattr(node, "cudnnlint_once", None)
    if known is None:
        missing = _missing(node.test)
        known = node.cudnnlint_once = bool(missing) and any(  # type: ignore[attr-defined]
            isinstance(inner, ast.Name | ast.Attribute | ast.Subscript) and isinstance(inner.ctx, ast.Store)
            and ast.unparse(inner) == missing for statement in node.body for inner in walk(statement))
    return known


def _missing(test: ast.expr) -> str:
    """What is tested to be there, as it is written: `x is None`, `not x`, `key not in x`, `not hasattr(x, "y")`."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        if isinstance(test.ops[0], ast.Is | ast.Eq) and isinstance(right, ast.Constant) and right.value is None:
            return ast.unparse(test.left)
        return f"{ast.unparse(right)}[{ast.unparse(test.left)}]" if isinstance(test.ops[0], ast.NotIn) else ""
    if not isinstance(test, ast.UnaryOp) or not isinstance(test.op, ast.Not):
        return ""
    if isinstance(call := test.operand, ast.Call):
        args = [*call.args, *[None] * 2][:2]
        named = isinstance(call.func, ast.Name) and call.func.id == "hasattr" and isinstance(args[1], ast.Constant)
        return f"{ast.unparse(args[0])}.{args[1].value}" if named and args[0] is not None else ""  # type: ignore[union-attr]
    return ast.unparse(test.operand)
