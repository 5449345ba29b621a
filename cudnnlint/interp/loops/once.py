"""What a program makes the first time only, and keeps: `if self.graph is None: self.graph = ...`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from cudnnlint.interp.machine import Machine
from cudnnlint.source.walk import walk

ONCE = "not there yet"
"""Among the conditions of a block that makes what was not there."""
ADDS = frozenset({"add", "append", "extend", "insert", "setdefault", "update"})
COLLECTS = frozenset({"add_to_collection", "add_to_collections"})
"""Functions of TensorFlow 1 after which tf.get_collection() gives more."""


def run_arm(m: Machine, node: ast.If, *, otherwise: bool = False) -> int:
    """The body of an `if` whose test is not known, or what it does `otherwise`."""
    body = node.orelse if otherwise else node.body
    if not body or not _makes_what_was_not(node, body, otherwise=otherwise):
        return m.run_block(body)
    m.conditions.append(ONCE)
    try:
        return m.run_block(body)
    finally:
        m.conditions.pop()


def run_known_arm(m: Machine, node: ast.If, *, otherwise: bool = False) -> int:
    """The arm of an `if` that is known to be taken, in a loop: no condition, but what it makes is kept as well."""
    body = node.orelse if otherwise else node.body
    if not body or not _makes_what_was_not(node, body, otherwise=otherwise):
        return m.run_block(body)
    facts = m.loops[-1].facts
    before, facts[ONCE] = facts.get(ONCE, False), True
    try:
        return m.run_block(body)
    finally:
        facts[ONCE] = before


def _makes_what_was_not(node: ast.If, body: Sequence[ast.stmt], *, otherwise: bool) -> bool:
    name = "cudnnlint_once_else" if otherwise else "cudnnlint_once"
    known: bool | None = getattr(node, name, None)
    if known is None:
        missing, by_key = _missing(node.test, held=otherwise)
        known = bool(missing) and (by_key or any(
            _makes(inner, missing) for statement in body for inner in walk(statement)))
        setattr(node, name, known)
    return known


def _makes(node: ast.AST, missing: str) -> bool:
    """Whether what was missing is there afterwards: it is assigned, or something is added to it."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in COLLECTS or (node.func.attr in ADDS and ast.unparse(node.func.value) == missing)
    return (isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store)
            and ast.unparse(node) == missing)


def _missing(test: ast.expr, *, held: bool) -> tuple[str, bool]:
    """What is tested to be there, as it is written, and whether it is looked up by a key, which some other function may
    add: `x is None`, `not x`, `len(x) == 0`, `key not in x`, `not hasattr(x, "y")`, or the opposite where it is
    `held`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, held = test.operand, not held
        if isinstance(call := test, ast.Call):
            args = [*call.args, *[None] * 2][:2]
            named = isinstance(call.func, ast.Name) and call.func.id == "hasattr" and isinstance(args[1], ast.Constant)
            text = f"{ast.unparse(args[0])}.{args[1].value}" if named and args[0] is not None else ""  # type: ignore[union-attr]
            return text if held else "", False
        if not isinstance(test, ast.Compare):
            return ast.unparse(test) if held else "", False
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return "", False
    right, kind = test.comparators[0], test.ops[0]
    if isinstance(right, ast.Constant) and right.value == 0 and isinstance(sized := test.left, ast.Call):
        counted = isinstance(sized.func, ast.Name) and sized.func.id == "len" and len(sized.args) == 1
        lacking = counted and isinstance(kind, ast.NotEq | ast.Gt if held else ast.Eq)
        return ast.unparse(sized.args[0]) if lacking else "", False
    if isinstance(right, ast.Constant) and right.value is None:
        lacking = isinstance(kind, ast.IsNot | ast.NotEq if held else ast.Is | ast.Eq)
        return ast.unparse(test.left) if lacking else "", False
    looked_up = isinstance(kind, ast.In if held else ast.NotIn) and isinstance(right, ast.Name | ast.Attribute)
    return f"{ast.unparse(right)}[{ast.unparse(test.left)}]" if looked_up else "", looked_up
