"""Functions of the program's own that return nothing, where what they return is used."""

from __future__ import annotations

import ast

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.values import Mismatch, Problem

CALLED = ("call", "forward")
"""Methods that `model(x)` calls by another name."""


def note_nothing(m: Machine, function: FunctionV, call: ast.AST) -> None:
    """A call that came to its end and gave None."""
    if isinstance(call, ast.Call) and (function.name in CALLED or _name(call.func) == function.name):
        m.notes.setdefault("gave nothing", {})[call] = function


def note_name(m: Machine, node: ast.Assign) -> None:
    """`model = build()`: whose nothing the name stands for."""
    target = node.targets[0]
    if isinstance(target, ast.Name) and (function := _of_call(m, node.value)) is not None:
        m.notes.setdefault("named nothing", {})[m.frame.scope.born, target.id] = function


def tell_of_unpacked(m: Machine, node: ast.Assign) -> None:
    """`x_train, y_train = load_data()`."""
    function = _of_call(m, node.value)
    if function is not None and any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
        _tell(m, node.targets[0], function, "unpacked", 'TypeError "cannot unpack non-iterable NoneType object"')


def tell_of_attribute(m: Machine, node: ast.Attribute) -> None:
    """`model.fit(x, y)` of a model that `build()` made and did not return."""
    held = node.value
    function = m.notes.get("named nothing", {}).get((_born(m, held.id), held.id)) if isinstance(held, ast.Name) else \
        _of_call(m, held)
    if function is not None and not node.attr.startswith("__"):
        _tell(m, node, function, f"used as an object with {node.attr}",
              f"AttributeError \"'NoneType' object has no attribute '{node.attr}'\"")


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _born(m: Machine, name: str) -> int:
    scope = m.frame.scope
    return scope.born if name in scope.items else m.frame.module.scope.born


def _of_call(m: Machine, node: ast.expr) -> FunctionV | None:
    found: FunctionV | None = m.notes.get("gave nothing", {}).get(node)
    return found


def _tell(m: Machine, node: ast.expr, function: FunctionV, used: str, error: str) -> None:
    if is_certain(m) and returns_nothing(function):
        name = f"{function.owner.name}.{function.name}" if function.owner is not None else function.name
        refuse(m, m.span(node), Mismatch(
            Problem.NOTHING, f"{name}() returns nothing, and what it returns is {used}",
            help=f"end {name}() with a return", error=error), what=function.name)


def returns_nothing(function: FunctionV) -> bool:
    """Whether a def does something and has no way to return a value; a stub is still to be written."""
    node = function.node
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or all(map(_is_stub, node.body)):
        return False
    return not any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Await)
                   or (isinstance(part, ast.Return) and part.value is not None) for part in ast.walk(node))


def _is_stub(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass | ast.Raise | ast.FunctionDef | ast.Import | ast.ImportFrom) \
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) \
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name) and node.value.func.id == "print") \
        or (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant))
