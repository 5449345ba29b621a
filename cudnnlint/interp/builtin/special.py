"""What objects of user classes say of themselves: their truth, what they contain, and how they compare."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.graphs.placeholders import refuse_symbolic, refuse_test
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, BoundV, FunctionV, InstanceV
from cudnnlint.values import Assumed, Tensor

ORDERED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("__eq__", "__eq__"), ast.NotEq: ("__ne__", "__ne__"), ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"), ast.Gt: ("__gt__", "__lt__"), ast.GtE: ("__ge__", "__le__")}
"""The method of the left operand, and that of the right one which is asked if there is none."""


def own_method(value: Any, name: str) -> Any:
    """A method that the user's class defines, or MISSING."""
    if type(value) is not InstanceV:
        return MISSING
    found = value.cls.lookup(name)
    return BoundV(found, value) if isinstance(found, FunctionV) and found.kind == "function" else MISSING


def asked(test: ast.expr) -> ast.expr:
    """A condition: Python asks for the truth of all that `and` and `or` put together there, elsewhere not of the last.
    """
    kind = type(test)
    if kind is ast.BoolOp:
        test.cudnnlint_asked = True  # type: ignore[attr-defined]
        asked(test.values[-1])  # type: ignore[attr-defined]
    elif kind is ast.UnaryOp:
        asked(test.operand)  # type: ignore[attr-defined]
    return test


def tested(m: Machine, value: Any, node: ast.AST) -> Any:
    """What decides whether `value` holds: itself, or what its __bool__ or __len__ gives."""
    held: Any = value.value if type(value) is Assumed else value
    if type(held) is Tensor:
        if m.placeholders:
            refuse_test(m, held, node)
        elif held.kind == "keras":
            refuse_symbolic(m, held, "a condition", m.span(node))
    if type(held) is not InstanceV:
        return value
    for name in ("__bool__", "__len__"):
        if (method := own_method(held, name)) is not MISSING:
            return m.call(method, [], {}, node)
    return value


def contained(m: Machine, item: Any, container: Any, node: ast.AST) -> Any:
    """What __contains__ of the container says, or MISSING."""
    method = own_method(container, "__contains__")
    return MISSING if method is MISSING else m.call(method, [item], {}, node)


def compared(m: Machine, kind: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
    """What a method of one of the operands says of both, or MISSING."""
    for receiver, name, other in zip((left, right), ORDERED[kind], (right, left), strict=True):
        if (method := own_method(plain(receiver), name)) is not MISSING:
            return m.call(method, [other], {}, node)
    return MISSING
