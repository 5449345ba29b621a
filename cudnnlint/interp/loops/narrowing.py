"""What is known of a loop's variable behind `if end > len(x): break`."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from cudnnlint.interp.machine import Machine, plain
from cudnnlint.values.unknown import Counted

LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise)
SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Call, ast.Load, ast.Subscript, ast.Attribute)
"""What is looked at twice without harm, if it calls nothing but len()."""


def narrow(m: Machine, node: ast.If) -> None:
    """Who went on was not beyond the end: variables that count from the same one as the left side are bounded."""
    test = node.test
    if not isinstance(node.body[-1], LEAVING) or node.orelse or not isinstance(test, ast.Compare) \
            or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Gt | ast.GtE):
        return
    if not (_is_simple(test.left) and _is_simple(test.comparators[0])):
        return
    left, right = plain(m.eval(test.left)), plain(m.eval(test.comparators[0]))
    if type(left) is not Counted or left.low is None or left.high is None:
        return
    room = -left.shift + (1 if isinstance(test.ops[0], ast.Gt) else 0)
    if type(right) is int or type(right) is Counted:
        _bound(m, left.base, right + room if isinstance(right, int) else right.plus(room))


def _is_simple(node: ast.expr) -> bool:
    return all(isinstance(part, SIMPLE) and (not isinstance(part, ast.Call) or (
        isinstance(part.func, ast.Name) and part.func.id == "len")) for part in ast.walk(node))


def _bound(m: Machine, base: object, high: Any) -> None:
    scope = m.frame.scope
    for name, value in list(scope.items.items()):
        if type(value) is Counted and value.base is base and _lower(high, value.high):
            m.set_item(scope, name, replace(value, high=high))


def _lower(high: Any, former: Any) -> bool:
    if type(high) is int and type(former) is int:
        return high < former
    if type(high) is Counted and type(former) is Counted and high.base is former.base:
        return high.shift < former.shift
    return type(high) is Counted and former is not None
