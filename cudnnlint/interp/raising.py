"""Errors that Python itself raises and that the program handles: where it goes on from them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

from cudnnlint.interp.heap import RaisedAs
from cudnnlint.interp.machine import Machine
from cudnnlint.source.walk import walk


def would_raise(m: Machine, kind: type[BaseException]) -> None:
    """Something is certainly not there: go to the handler that the program has for it.

    Without one, or where the handler only raises something else, the program goes on with what is not known: rather
    did we miss how the thing came to be.
    """
    if not m.handlers or m.frames[-1].control:
        return
    for handlers in reversed(m.handlers):
        if (handler := handler_of(handlers, kind)) is not None:
            if not only_raises(handler.body):
                raise RaisedAs(kind)
            return


def handler_of(handlers: Sequence[ast.ExceptHandler], kind: type[BaseException]) -> ast.ExceptHandler | None:
    return next((handler for handler in handlers if _takes(handler.type, kind)), None)


def _takes(asked: ast.expr | None, kind: type[BaseException]) -> bool:
    if asked is None:
        return True
    if isinstance(asked, ast.Tuple):
        return any(_takes(each, kind) for each in asked.elts)
    found = getattr(builtins, asked.id, None) if isinstance(asked, ast.Name) else None
    return isinstance(found, type) and issubclass(kind, found)


def only_raises(body: Sequence[ast.stmt]) -> bool:
    """A block that ends the program: its last statement raises or exits."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        function = last.value.func
        return ((isinstance(function, ast.Name) and function.id in ("exit", "quit"))
                or (isinstance(function, ast.Attribute)
                    and function.attr in ("exit", "_exit", "error", "fail", "abort")))
    return False


INTERRUPTS = frozenset({"KeyboardInterrupt", "SystemExit", "GeneratorExit"})
"""What is raised where nothing fails."""


def lets_through(handler: ast.ExceptHandler) -> bool:
    """Whether what fails in the block ends the program as if there were no such handler: it waits for Ctrl-C, or goes
    on with the same error."""
    if isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None:
        return not any(isinstance(node, ast.Return | ast.Continue | ast.Break)
                       for statement in handler.body for node in walk(statement))
    asked = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(isinstance(each, ast.Name) and each.id in INTERRUPTS for each in asked)
