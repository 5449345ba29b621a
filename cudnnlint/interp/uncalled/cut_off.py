"""What code that was not followed to its end may still have called, with arguments of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from cudnnlint.source.walk import walk

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def of_module(tree: ast.Module) -> frozenset[str]:
    """The functions and classes of a module that its own statements may call, directly or by others of them.

    >>> sorted(of_module(ast.parse("def f(): g()\\ndef g(): pass\\ndef h(): pass\\nf()")))
    ['', 'f', 'g']

    Nobody's name is among them: whatever models there are, something may yet happen to them.
    """
    return _reached(tree, [statement for statement in tree.body if not isinstance(statement, DEFINITIONS)]) | {""}


def of_function(tree: ast.Module, name: str) -> frozenset[str]:
    """The same of those that are called so."""
    return _reached(tree, [node for node in walk(tree) if isinstance(node, DEFINITIONS) and node.name == name])


def _reached(tree: ast.Module, begun: Iterable[ast.AST]) -> frozenset[str]:
    defined: dict[str, list[ast.AST]] = {}
    for node in walk(tree):
        if isinstance(node, DEFINITIONS):
            defined.setdefault(node.name, []).append(node)
    found: set[str] = set()
    todo = list(begun)
    while todo:
        for name in _named(todo.pop()):
            if name in defined and name not in found:
                found.add(name)
                todo += defined[name]
    return frozenset(found)


def _named(node: ast.AST) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):  # getattr(module, "build_model")
            yield part.value
