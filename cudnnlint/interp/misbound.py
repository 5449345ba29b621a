"""Calls of the program's own functions that give what they do not take, or not what they need."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any

from cudnnlint.interp.binding import STAR
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem

FILLED_IN = frozenset({"training", "mask"})
"""What Keras gives call(), and takes back where it has no such parameter (keras/src/layers/layer.py:
Layer.__call__)."""


def tell_of_extra(m: Machine, function: FunctionV, c: Call, left: Collection[str], names: tuple[str, ...]) -> None:
    """`build(width=3)` of a def without such a parameter; `names` are those that it has."""
    written = {keyword.arg for keyword in c.node.keywords} if isinstance(c.node, ast.Call) else set()
    own = [name for name in left if name in written and not (name in FILLED_IN and function.name == "call")]
    if own and _is_plain(function) and is_certain(m):
        refuse(m, c.span, Mismatch(
            Problem.UNKNOWN_ARGUMENT, f"{_named(function)} has no argument {own[0]}", argument=own[0],
            facts=(("name", own[0]), ("versions", ""), ("twice", False), ("parameters", names))), what=_named(function),
            stage="called")


def tell_of_lacking(m: Machine, function: FunctionV, c: Call, name: str) -> None:
    """`build()` of a def whose first parameter has no default."""
    if _is_direct(function, c) and _is_plain(function) and is_certain(m):
        refuse(m, c.span, Mismatch(Problem.MISSING_ARGUMENT, f"{_named(function)} misses its argument {name}",
                                   argument=name), what=_named(function), stage="called")


def _is_direct(function: FunctionV, c: Call) -> bool:
    """Whether the program itself calls it with just these arguments, by its name."""
    node: Any = c.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != function.name:
        return False
    return len(node.args) == len(c.args) and not any(isinstance(arg, ast.Starred) for arg in node.args) \
        and {keyword.arg for keyword in node.keywords} == c.kwargs.keys() and STAR not in c.kwargs


def _is_plain(function: FunctionV) -> bool:
    return isinstance(function.node, ast.FunctionDef) and not function.node.decorator_list


def _named(function: FunctionV) -> str:
    return f"{function.owner.name}.{function.name}" if function.owner is not None else function.name
