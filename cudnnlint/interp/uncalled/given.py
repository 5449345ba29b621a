"""What calls that were not come to would give: of parameters that all of them give the defaults are no one's."""

from __future__ import annotations

import ast
import bisect
from collections.abc import Iterator, Sequence

from cudnnlint.interp.objects import FunctionV
from cudnnlint.source import Source
from cudnnlint.source.walk import walk


def always_given(source: Source, function: FunctionV, called: str) -> frozenset[str]:
    """The parameters of `function` that each call of `called` in its file gives: a function, `self.method`, or a class
    whose constructor it is. None where nothing calls it, or a call gives what cannot be counted, `*args`."""
    first, last = function.node.lineno, function.node.end_lineno or 0
    calls = [call for spelled in _spellings(function, called) for call in _calls(source, spelled)
             if not first <= call.lineno <= last]
    if not calls or any(isinstance(arg, ast.Starred) for call in calls for arg in call.args):
        return frozenset()
    arguments = function.node.args
    receives = function.owner is not None and function.kind != "static"
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)][receives:]
    return frozenset.intersection(*(_given(call, names) for call in calls))


def _spellings(function: FunctionV, called: str) -> tuple[str, ...]:
    """A static method or one of the class is called by an object or by the name of the class."""
    owner = function.owner
    if owner is None or function.kind not in ("static", "class"):
        return (called,)
    return f"self.{function.name}", f"cls.{function.name}", f"{owner.name}.{function.name}"


def _calls(source: Source, called: str) -> Iterator[ast.Call]:
    """Where the text calls that name: only statements on whose lines it does are looked through, each of them once."""
    if not source.repeats(called.rpartition(".")[2]):
        return
    statements = {id(found): found for at in _places(source.text, called)
                  if (found := _statement(source.tree().body, source.line_at(at))) is not None}
    for statement in statements.values():
        yield from _calls_in(statement).get(called, ())


def _places(text: str, called: str) -> Iterator[int]:
    sought = f"{called}("
    at = text.find(sought)
    while at >= 0:
        before = text[max(0, at - 6):at]
        if not before.endswith(("def ", "class ")) and not (before[-1:].isalnum() or before[-1:] in ("_", ".")):
            yield at
        at = text.find(sought, at + 1)


def _statement(body: Sequence[ast.stmt], line: int) -> ast.stmt | None:
    """The statement that the line is in, within classes."""
    at = bisect.bisect_right(body, line, key=_first_line)
    if not at or (body[at - 1].end_lineno or 0) < line:
        return None
    statement = body[at - 1]
    return statement if not isinstance(statement, ast.ClassDef) else _statement(statement.body, line) or statement


def _first_line(statement: ast.stmt) -> int:
    return statement.lineno


def _calls_in(statement: ast.stmt) -> dict[str, list[ast.Call]]:
    """Its calls by what is called; found once and kept on the node."""
    known: dict[str, list[ast.Call]] | None = getattr(statement, "cudnnlint_calls", None)
    if known is None:
        known = statement.cudnnlint_calls = {}  # type: ignore[attr-defined]
        for node in walk(statement):
            if isinstance(node, ast.Call):
                known.setdefault(_spelled(node.func), []).append(node)
    return known


def _spelled(function: ast.expr) -> str:
    """`f` of f(), `self.f` of self.f(), "" of a method of what is no name."""
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{function.value.id}.{function.attr}"
    return ""


def _given(call: ast.Call, names: Sequence[str]) -> frozenset[str]:
    return frozenset((*names[:len(call.args)], *(each.arg for each in call.keywords if each.arg)))
