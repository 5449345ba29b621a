"""Builtins that run text: exec and eval."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.builtin.functions import builtin
from cudnnlint.interp.command_words import WITHOUT
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.namespaces import EXECUTED
from cudnnlint.interp.objects import BuiltinV, ClassV, External, FunctionV, ModuleV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

LONGEST_EXPRESSION, LONGEST_FILE = 1_000, 20_000
"""Characters of a text, and of a file of settings, that eval() and exec() are followed into."""
SETTING = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign)


@builtin("exec")
def exec_(c: Call) -> Any:
    """Text that is known runs where exec stands; other text may rebind the data of the module that it runs in.

    The names of a function stay as they are: exec() works on a copy of them. So do modules, classes and functions.
    """
    m, scope = c.machine, c.machine.frame.scope
    if len(c.args) + len(c.kwargs) > 1 and not _is_globals(c):
        _name_in_dicts(c)
        return
    m.heap.touch(scope)
    if scope.kind not in ("module", "class"):
        scope.items[EXECUTED] = True  # which locals() tells up to Python 3.12
        return
    if (body := _statements(c)) is not None or (body := _settings(c)) is not None:
        m.run_block(body)
        return
    for name, value in scope.items.items():
        if not isinstance(plain(value), (External, ModuleV, FunctionV, ClassV, BuiltinV)):
            scope.items[name] = Unknown("exec")
    scope.unknown = Unknown("exec")


def _name_in_dicts(c: Call) -> None:
    """`exec(text, about)` binds names of its own: as keys of the dicts that it is given."""
    for given in (*c.args[1:], *c.kwargs.values()):
        names = plain(given)
        if isinstance(names, DictV):
            c.machine.heap.touch(names)
            names.items = dict.fromkeys(names.items, Unknown("exec"))
            names.unknown = Unknown("exec")


def _is_globals(c: Call) -> bool:
    given = c.node.args[1] if isinstance(c.node, ast.Call) and len(c.node.args) > 1 else None
    return isinstance(given, ast.Call) and isinstance(given.func, ast.Name) and given.func.id == "globals"


def _statements(c: Call) -> list[ast.stmt] | None:
    """The statements of known text, standing where exec does."""
    text = plain(c.args[0]) if c.args else None
    if not isinstance(text, str) or len(text) > LONGEST_EXPRESSION:
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # it fails there
    for node in ast.walk(tree):
        ast.copy_location(node, c.node)
    return tree.body


def _settings(c: Call) -> list[ast.stmt] | None:
    """The statements of a file of the project that does nothing but set names, standing where exec does.

    It may read words of the command line, and set what they say: without any, everything stays as it is.
    """
    m: Machine = c.machine
    held: Any = plain(c.args[0]) if c.args else None
    if not hasattr(held, "whole") or not isinstance(text := plain(held.whole(m)), str) or len(text) > LONGEST_FILE:
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    told = [statement for statement in tree.body if not _is_said(statement)]
    words = [statement for statement in told if _asks_for_words(statement)]
    body = [statement for statement in told if statement not in words]
    if not all(isinstance(statement, SETTING) for statement in body) or (words and "sys.argv" in m.overrides):
        return None
    if words:
        scope = m.frame.scope
        scope.items = {name: assume(value, WITHOUT) for name, value in scope.items.items()}
    for node in ast.walk(tree):
        ast.copy_location(node, c.node)
    return body


def _is_said(statement: ast.stmt) -> bool:
    """A docstring, or something that is printed."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print")


def _asks_for_words(statement: ast.stmt) -> bool:
    """`for word in sys.argv[1:]:`, which is gone through once for each."""
    return isinstance(statement, ast.For) and not statement.orelse and ast.unparse(statement.iter) == "sys.argv[1:]"


@builtin("compile")
def compile_(c: Call) -> Any:
    """What is compiled runs as its text does."""
    return c.args[0] if plain(c.get(2, "mode")) == "exec" and c.args else Unknown("compile()")


@builtin("eval")
def eval_(c: Call) -> Any:
    """An expression of known text is evaluated where eval stands."""
    text = plain(c.args[0]) if len(c.args) == 1 and not c.kwargs else None
    if not isinstance(text, str) or len(text) > LONGEST_EXPRESSION:
        return Unknown("eval")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Unknown("eval of what is no expression")
    for node in ast.walk(tree):
        ast.copy_location(node, c.node)
    return assume(c.machine.eval(tree.body), assumptions_of(c.args[0]))
