"""Arguments with which the constructors of a class do nothing but hand them on to the next."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.objects import ClassV, FunctionV
from cudnnlint.source.walk import walk


def hands_on(cls: ClassV, name: str) -> bool:
    """Whether the constructors of a class and its bases do nothing with an argument but hand it on to the next."""
    for base in cls.mro:
        init = base.items.get("__init__") if type(base) is ClassV else None
        if type(init) is FunctionV and not _only_handed_on(init.node, name):
            return False
    return True


def _only_handed_on(node: Any, name: str) -> bool:
    known: dict[str, bool] | None = getattr(node, "cudnnlint_handed_on", None)
    if known is None:
        known = node.cudnnlint_handed_on = {}
    if name not in known:
        arguments = node.args
        own = any(arg.arg == name for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
        holder = name if own else arguments.kwarg.arg if arguments.kwarg is not None else ""
        nodes = [one for one in walk(node) if isinstance(one, ast.Call | ast.Name)]
        handed = [keyword.value for call in nodes if isinstance(call, ast.Call) and _is_super_init(call.func)
                  for keyword in call.keywords if keyword.arg == (name if own else None)]
        uses = [one for one in nodes if isinstance(one, ast.Name) and one.id == holder]
        known[name] = bool(holder) and len(uses) == 1 and any(one is uses[0] for one in handed)
    return known[name]


def _is_super_init(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "__init__" \
        and isinstance(function.value, ast.Call) \
        and isinstance(function.value.func, ast.Name) and function.value.func.id == "super"
