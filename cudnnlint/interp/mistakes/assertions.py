"""Checks of the program's own that certainly fail: `assert` and `raise` on the way that is taken."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.comparison import truth
from cudnnlint.interp.convert import strip
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem

LONGEST = 80
"""Characters of a condition that are shown."""
ERRORS = frozenset({"ValueError", "RuntimeError", "AssertionError"})
"""What is raised of arguments that do not fit; others, NotImplementedError say, mean other things."""


def tell_of_assertion(m: Machine, node: ast.Assert) -> None:
    """`assert d_model % heads == 0` of numbers for which it is not so."""
    if _is_certain(m) and _is_of_numbers(m, node.test):
        told = "; ".join(_values(m, node.test))
        _refuse(m, node, f"assert {_shown(ast.unparse(node.test))} fails{': ' if told else ''}{told}", "AssertionError",
                _said(m, node.msg))


def tell_of_raise(m: Machine, test: ast.expr, taken: Sequence[ast.stmt]) -> None:
    """`if width % heads: raise ValueError(...)` in a function that was called with such numbers."""
    last = taken[-1] if taken else None
    if not isinstance(last, ast.Raise) or not m.calls or not _is_certain(m) or not _is_of_numbers(m, test):
        return
    error = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
    if isinstance(error, ast.Name) and error.id in ERRORS:
        text = _said(m, last.exc.args[0] if isinstance(last.exc, ast.Call) and last.exc.args else None)
        _refuse(m, last, f"{error.id} is raised here{': ' if text else ''}{_shown(text)}", error.id, text)


def _is_of_numbers(m: Machine, test: ast.expr) -> bool:
    """Whether a condition compares numbers or shapes, of which all is known: what a program says of names, types and
    objects may hang on what was not followed."""
    if isinstance(test, ast.UnaryOp):
        return _is_of_numbers(m, test.operand)
    if isinstance(test, ast.BoolOp):
        return all(_is_of_numbers(m, part) for part in test.values)
    if any(isinstance(part, ast.Call) and not _is_measure(part) for part in walk(test)):
        return False
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else \
        [test.left, test.right] if isinstance(test, ast.BinOp) else []
    return bool(sides) and all(_is_number(strip(m.eval(side))) for side in sides)


def _is_measure(call: ast.Call) -> bool:
    """`len(x.shape)`, `x.dim()`, `x.size(1)`: what a tensor says of its shape."""
    if isinstance(call.func, ast.Name):
        measured = call.args[0] if len(call.args) == 1 else None
        return call.func.id == "len" and isinstance(measured, ast.Attribute) and measured.attr == "shape"
    return isinstance(call.func, ast.Attribute) and call.func.attr in ("dim", "ndimension", "size")


def _is_number(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return bool(value) and all(item is None or _is_number(item) for item in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_certain(m: Machine) -> bool:
    return is_certain(m) and not m.placeholders and not m.frame.control


def _refuse(m: Machine, node: ast.stmt, message: str, error: str, text: str) -> None:
    quoted = f' "{text}"' if text and '"' not in text and "\n" not in text else ""
    refuse(m, m.span(node), Mismatch(Problem.ASSERTED, message, error=error + quoted), what="assert", stage="call")


def _said(m: Machine, node: ast.expr | None) -> str:
    """The text that goes with it, if it is known."""
    if not isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
        return ""
    value = plain(m.eval(node))
    return value if isinstance(value, str) else ""


def _values(m: Machine, test: ast.expr) -> list[str]:
    """`x.shape[1] is 30` for each side of a comparison that is no literal; of several, for those that fail."""
    if isinstance(test, ast.BoolOp):
        return [told for part in test.values if truth(strip(m.eval(part))) is False for told in _values(m, part)]
    if not isinstance(test, ast.Compare) or any(isinstance(part, ast.Call) for part in walk(test)):
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
    return text.rstrip(".") if len(text) <= LONGEST else f"{text[:LONGEST]} [...]"
