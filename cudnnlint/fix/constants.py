"""Names that stand for one number or text in a whole file: `BATCH_SIZE = 32`, `PAD = "valid"`."""

from __future__ import annotations

import ast

from cudnnlint.fix.calls import Text
from cudnnlint.source.walk import walk


def number_of(name: ast.expr, text: Text) -> ast.Constant | None:
    """The whole number that a name was given at the top of the file; None if it is bound anywhere else besides."""
    if not isinstance(name, ast.Name):
        return None
    tree = text.source.tree()
    if sum(binds(node, name.id) for node in walk(tree)) != 1:
        return None
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=there)], value=ast.Constant(value=int(number)) as literal) \
                    if there == name.id and not isinstance(number, bool):
                return literal
    return None


def constant_of(name: ast.expr, text: Text) -> ast.Constant | None:
    """The text that a name was given, wherever in the file: all that is bound to it."""
    if not isinstance(name, ast.Name):
        return None
    nodes = list(walk(text.source.tree()))
    if sum(binds(node, name.id) for node in nodes) != 1:
        return None
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=there)], value=ast.Constant(value=str()) as literal) \
                    if there == name.id:
                return literal
    return None


def binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=there, ctx=ast.Store() | ast.Del()) | ast.arg(arg=there) | ast.ExceptHandler(name=there):
            return there == name
        case ast.FunctionDef(name=there) | ast.AsyncFunctionDef(name=there) | ast.ClassDef(name=there):
            return there == name
        case ast.alias():
            return (node.asname or node.name.partition(".")[0]) == name
        case ast.MatchAs(name=there) | ast.MatchStar(name=there) | ast.MatchMapping(rest=there):
            return there == name
    return False
