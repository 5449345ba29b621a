"""Functions that were meant for what a program had when it defined them, and is no longer there at its end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cudnnlint.source import Source
from cudnnlint.source.walk import children, walk

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def outdated(source: Source) -> set[int]:
    """The nodes of those that are not called at the end: whoever called them did so before."""
    tree = source.tree()
    return _before_redefinition(tree) | (_before_rebinding(tree) if source.cells else set())


def _before_redefinition(tree: ast.Module) -> set[int]:
    """Functions and classes that are defined anew, and speak of others that are: whoever called them as they are here
    called others of those names, too."""
    defined: dict[str, list[ast.stmt]] = {}
    for each in tree.body:
        if isinstance(each, DEFINITIONS):
            defined.setdefault(each.name, []).append(each)
    again = {name: nodes[-1].lineno for name, nodes in defined.items() if len(nodes) > 1}
    return {id(node) for name in again for node in defined[name][:-1] for part in walk(node)
            if isinstance(part, ast.Name) and part.id != name and again.get(part.id, 0) > node.lineno}


def _before_rebinding(tree: ast.Module) -> set[int]:
    """Functions of a notebook that use what it has when it defines them, and something else later: they are tried
    where they stand, and what comes after is for other cells."""
    bound: dict[str, list[int]] = {}
    for name, line in _bindings(tree):
        bound.setdefault(name, []).append(line)
    return {id(node) for node in tree.body if isinstance(node, ast.FunctionDef)
            and any(min(lines) < node.lineno <= max(lines) for lines in map(bound.get, _globals(node)) if lines)}


def _bindings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names that the statements of a module bind, those of its functions not included, and where."""
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (*DEFINITIONS, ast.Lambda)):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        todo += children(node)


def _globals(function: ast.FunctionDef) -> set[str]:
    """Names that a function reads and does not bind."""
    names = [part for part in walk(function) if isinstance(part, ast.Name)]
    given = {part.arg for part in walk(function) if isinstance(part, ast.arg)}
    own = {part.id for part in names if not isinstance(part.ctx, ast.Load)}
    return {part.id for part in names if isinstance(part.ctx, ast.Load)} - own - given
