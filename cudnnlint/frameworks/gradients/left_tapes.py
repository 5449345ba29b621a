"""Losses that are computed after the tape was left, which has not recorded how."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.loops.kept import TAPES
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.refusals import is_meant, of_line
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Tensor

if TYPE_CHECKING:
    from cudnnlint.frameworks.gradients.tapes import TapeV


def check_left(c: Call, tape: TapeV) -> bool:
    """`loss = ...` behind the block of the tape, then `tape.gradient(loss, ...)`: what it recorded does not lead to the
    loss (tensorflow/python/eager/backprop.py: GradientTape.__exit__, gradient)."""
    from cudnnlint.frameworks.gradients.unwatched import is_used, tell_of_none

    m, loss = c.machine, strip(c.get(0, "target"))
    if not isinstance(loss, Tensor) or loss.step is None or not loss.step.parents or loss.kind == "numpy" \
            or tape.span is None or tape.emptied or tape.since in m.state.get(TAPES, ()) or m.handlers \
            or not is_meant(m) or len(c.args) > 2 or c.kwargs.keys() - {"target", "sources"}:
        return False
    at = loss.step.span
    if not at.path == tape.span.path == c.span.path or not tape.span.line < at.line <= c.span.line \
            or not _is_behind(m, tape.span, at) or not is_used(m, c.node):
        return False
    return tell_of_none(c, f"the loss{of_line(c.span, at)} is computed behind the block of the tape: no gradients",
                        "compute it within `with tf.GradientTape() as tape:`")


def _is_behind(m: Machine, tape: Span, at: Span) -> bool:
    """Whether `at` stands behind the block of the tape, in the function under way itself."""
    function, source = m.frame.function, m.frame.module.source
    body: Any = function.node if isinstance(function, FunctionV) else source.tree() if source is not None else None
    if body is None:
        return False
    blocks, inner = _blocks(body)
    if any(isinstance(item.context_expr, ast.Name) for block in blocks for item in block.items):
        return False  # it may be entered again
    ends = [block.end_lineno or 0 for block in blocks for item in block.items if item.context_expr.lineno == tape.line]
    return len(set(ends)) == 1 and at.line > ends[0] and not any(first <= at.line <= last for first, last in inner)


@lru_cache(maxsize=8)
def _blocks(body: ast.AST) -> tuple[tuple[ast.With, ...], tuple[tuple[int, int], ...]]:
    """The `with` statements of a function or module, and the lines of the functions within."""
    nodes = walk(body)
    inner = tuple((node.lineno, node.end_lineno or 0) for node in nodes
                  if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and node is not body)
    return tuple(node for node in nodes if isinstance(node, ast.With)), inner


__all__ = ["check_left"]
