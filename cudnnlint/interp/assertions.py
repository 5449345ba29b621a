"""Checks of the program's own that certainly fail: `assert` and `raise` on the way that is taken."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.values import Mismatch, Problem

LONGEST = 80
"""Characters of a condition that are shown."""
ERRORS = (ValueError, TypeError, RuntimeError, AssertionError)
"""What is raised of arguments that do not fit; others, NotImplementedError say, mean other things."""


def tell_of_assertion(m: Machine, node: ast.Assert) -> None:
    """`assert d_model % heads == 0` of numbers for which it is not so."""
    if _is_certain(m):
        told = "; ".join(_values(m, node.test))
        _refuse(m, node, f"assert {_shown(ast.unparse(node.test))} fails{': ' if told else ''}{told}", "AssertionError",
                _said(m, node.msg))


def tell_of_raise(m: Machine, node: ast.Raise, kind: type[BaseException]) -> None:
    """`raise ValueError(...)` of a function that was called with such arguments."""
    if issubclass(kind, ERRORS) and _is_certain(m) and m.calls:
        given = node.exc.args[0] if isinstance(node.exc, ast.Call) and node.exc.args else None
        text = _said(m, given)
        _refuse(m, node, f"{kind.__name__} is raised here{': ' if text else ''}{_shown(text)}", kind.__name__, text)


def _is_certain(m: Machine) -> bool:
    """Whether the program certainly comes here, by no way that others may have left before, and nothing is ready for
    it."""
    return not (m.uncalled or m.uncertain or m.trying or m.handlers or m.frame.control or m.placeholders
                or any(frame.pendings for frame in m.frames))


def _refuse(m: Machine, node: ast.stmt, message: str, error: str, text: str) -> None:
    quoted = f' "{text}"' if text and '"' not in text and "\n" not in text else ""
    refuse(m, m.span(node), Mismatch(Problem.ASSERTED, message, error=error + quoted), what="assert", stage="call")


def _said(m: Machine, node: ast.expr | None) -> str:
    """The text that goes with it, if it is known."""
    if not isinstance(node, ast.Constant | ast.JoinedStr):
        return ""
    value = plain(m.eval(node))
    return value if isinstance(value, str) else ""


def _values(m: Machine, test: ast.expr) -> list[str]:
    """`x.shape[1] is 30` for each side of a comparison that is no literal."""
    if not isinstance(test, ast.Compare) or any(isinstance(part, ast.Call) for part in ast.walk(test)):
        return []
    found = []
    for side in (test.left, *test.comparators):
        value = strip(m.eval(side))
        if not isinstance(side, ast.Constant | ast.Tuple | ast.List) and _is_plain(value):
            found.append(f"{_shown(ast.unparse(side))} is {value!r}")
    return found


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return len(value) < 8 and all(map(_is_plain, value))
    return value is None or isinstance(value, int | float | str)


def _shown(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
