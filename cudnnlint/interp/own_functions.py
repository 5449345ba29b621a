"""Functions that the program itself defines: made of a def or a lambda, and whether they yield."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import ClassV, FunctionV


def make_function(m: Machine, node: Any, name: str, owner: ClassV | None = None) -> FunctionV:
    """A def or lambda, its defaults evaluated now."""
    arguments = node.args
    defaults = tuple([m.eval(default) for default in arguments.defaults])
    kw_defaults = {arg.arg: m.eval(default) for arg, default in
                   zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default is not None} \
        if arguments.kwonlyargs else {}
    frame = m.frames[-1]
    made = FunctionV(name, node, frame.scope, frame.module, defaults, kw_defaults, owner)
    if frame.scope.kind == "function":
        m.keep(made)
    return made


def is_generator(node: Any, source: Any) -> bool:
    """Whether a def is a generator; found once and kept on the node, and not looked for where no text says yield."""
    known: bool | None = getattr(node, "cudnnlint_yields", None)
    if known is None:
        said = source is None or (source.says("yield") and source.says("yield", node.lineno, node.end_lineno))
        known = node.cudnnlint_yields = said and _has_yield(node)
    return known


def yields(node: ast.AST) -> bool:
    """Whether a statement yields, other than in functions within."""
    return _has_yield(ast.Module([node], []))  # type: ignore[list-item]


def _has_yield(node: ast.AST) -> bool:
    stack: list[ast.AST] = list(getattr(node, "body", []))
    while stack:
        current = stack.pop()
        if isinstance(current, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(current))
    return False
