"""Arms of an `if` that a default decides: what is set in one rests on it, and who is used in the other alone is not
used with it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from cudnnlint.interp.machine import Machine, assume
from cudnnlint.interp.names import target_scope
from cudnnlint.source.walk import walk
from cudnnlint.values.assumption import Assumptions

Arm = Sequence[ast.stmt] | ast.expr


def note_guarded(m: Machine, node: ast.If | ast.IfExp, verdict: bool, assumed: Assumptions) -> None:
    """What only the arm that is not taken uses is not used with the values that are assumed."""
    known: tuple[set[str], set[str]] | None = getattr(node, "cudnnlint_called", None)
    if known is None:
        body, orelse = _used_in(node.body), _used_in(node.orelse)
        known = node.cudnnlint_called = body - orelse, orelse - body  # type: ignore[union-attr]
    if names := known[verdict]:
        texts = frozenset(assumption.text for assumption in assumed)
        for name in names:
            m.guards[name] = m.guards.get(name, texts) & texts


def rest_on(m: Machine, arms: Sequence[ast.stmt], assumed: Assumptions) -> None:
    """What a module sets in the arm that is taken, or keeps as the other would set it, rests on what decided, wherever
    it is read."""
    if m.frame.function is not None:
        return  # a function's own control says so
    for statement in arms:
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        for target in targets:
            if isinstance(target, ast.Name):
                scope = target_scope(m, target.id)
                if target.id in scope.items:
                    m.heap.touch(scope)
                    scope.items[target.id] = assume(scope.items[target.id], assumed)


def _used_in(arm: Arm) -> set[str]:
    """Names that an arm reads, and the methods of `self` that it calls."""
    nodes = [node for part in (arm if isinstance(arm, Sequence) else [arm]) for node in walk(part)]
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return names | {node.func.attr for node in nodes if isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
                    and node.func.value.id == "self"}
