"""What calls that were not come to would give: of parameters that all of them give the defaults are no one's."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from cudnnlint.interp.objects import FunctionV
from cudnnlint.source import Source
from cudnnlint.source.walk import walk


def always_given(source: Source, function: FunctionV, called: str) -> frozenset[str]:
    """The parameters of `function` that each call of `called` in its file gives: a function, `self.method`, or a class
    whose constructor it is. None where nothing calls it, or a call gives what cannot be counted, `*args`."""
    name = called.rpartition(".")[2]
    if not source.repeats(name) or not re.search(rf"(?<!def )(?<!class )\b{re.escape(name)}\s*\(", source.text):
        return frozenset()
    within = {id(node) for node in walk(function.node)}
    calls = [node for node in walk(source.tree())
             if isinstance(node, ast.Call) and _spelled(node.func) == called and id(node) not in within]
    if not calls or any(isinstance(arg, ast.Starred) for call in calls for arg in call.args):
        return frozenset()
    arguments = function.node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)][function.owner is not None:]
    return frozenset.intersection(*(_given(call, names) for call in calls))


def _spelled(function: ast.expr) -> str:
    """`f` of f(), `self.f` of self.f(), "" of another object's method."""
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "self":
        return f"self.{function.attr}"
    return ""


def _given(call: ast.Call, names: Sequence[str]) -> frozenset[str]:
    return frozenset((*names[:len(call.args)], *(each.arg for each in call.keywords if each.arg)))
