"""What a loop over a tensor carries from turn to turn in a graph: AutoGraph makes a tf.while_loop of it, and its
variables keep their shapes (tensorflow/python/autograph/operators/control_flow.py: _verify_single_loop_var)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem, Tensor

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

CARRIED = "carried"
"""Note of the loops that were entered: what their variables were before the first turn, by the body."""
SHAPELESS = frozenset({"reduce_retracing", "experimental_relax_shapes", "input_signature"})
"""Options of tf.function with which tensors of other shapes are not traced again: extents that are numbers in a call
may be open in the graph."""


def entered(m: Machine, node: ast.For | ast.AsyncFor | ast.While, over: Any) -> None:
    """A loop of a graph begins, over what it goes through or as long as a condition holds."""
    held = plain(over)
    if m.symbolic or not isinstance(held, Tensor) or held.kind == "numpy":
        return
    items = m.frame.scope.items
    before = [(name, statement, was) for name, statement in _renewed(node.body).items()
              if isinstance(was := plain(items.get(name)), Tensor)]
    if before and not is_opened(m) and not any(
            isinstance(part, ast.Attribute) and part.attr == "set_loop_options"
            for statement in node.body for part in walk(statement)):
        m.notes.setdefault(CARRIED, {})[id(node.body)] = (m.frame, before)


def turned(m: Machine, body: list[ast.stmt]) -> None:
    """The first turn of a loop is over: its variables have the shapes that they had before."""
    frame, before = m.notes.get(CARRIED, {}).pop(id(body), (None, ()))
    for name, statement, old in before if frame is m.frame else ():
        new = plain(frame.scope.items.get(name))
        if isinstance(new, Tensor) and differ(old.shape, new.shape):
            refuse(m, m.span(statement), Mismatch(
                Problem.MERGE, f"{name} is {old} before the loop over a tensor and {new} after a turn",
                help="a tf.TensorArray that each turn writes to, or tf.autograph.experimental.set_loop_options("
                     f"shape_invariants=[({name}, tf.TensorShape([...]))]) with None where it grows",
                error=f"ValueError \"'{name}' has shape ... before the loop, but shape ... after one iteration\""),
                about=[old, new], what="for", inputs=[old, new])


def _renewed(body: list[ast.stmt]) -> dict[str, ast.Assign]:
    """The variables that a turn computes from what the turn before left, by their first assignment."""
    found: dict[str, ast.Assign | None] = {}
    for statement in _always_run(body):
        if isinstance(statement, ast.Assign):
            read = {part.id for part in walk(statement.value) if isinstance(part, ast.Name)}
            for target in statement.targets:
                for part in walk(target):
                    if isinstance(part, ast.Name):
                        found.setdefault(part.id, statement if part is target and part.id in read else None)
    return {name: statement for name, statement in found.items() if statement is not None}


def _always_run(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that a turn certainly gets to, those in `with` blocks included: after a condition or another loop it
    may have ended."""
    for statement in body:
        if isinstance(statement, ast.With):
            yield from _always_run(statement.body)
        if not isinstance(statement, ast.Assign | ast.Expr | ast.With):
            return
        yield statement


def is_opened(m: Machine) -> bool:
    """Whether a function under way is traced with extents that may be open where they are numbers here."""
    return any(frame.function is not None and frame.function.traced is not None
               and frame.function.traced.options & SHAPELESS for frame in m.frames)


def differ(old: Any, new: Any) -> bool:
    """Whether shapes are certainly different: in their number of axes, or in an extent that is a number in both."""
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return False
    return len(old) != len(new) or any(isinstance(a, int) and isinstance(b, int) and a != b
                                       for a, b in zip(old, new, strict=True))
