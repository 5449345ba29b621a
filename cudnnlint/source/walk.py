"""All nodes of a tree at once: whole modules and functions are looked through for many reasons."""

from __future__ import annotations

import ast

PLAIN = frozenset({"id", "attr", "arg", "asname", "conversion", "ctx", "is_async", "kind", "kwd_attrs", "level",
                   "module", "rest", "simple", "type_comment"})
"""Fields that hold no nodes in any class, or none that is looked for: `ctx`, which a third of all nodes have."""
HOLED = frozenset({"keys", "kw_defaults"})
"""Lists that hold None too: of `{**other}`, of a parameter without default. All others hold nodes alone."""


class _Parts(dict[type[ast.AST], tuple[str, ...]]):
    """Of a class of nodes, the fields that may hold some."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        found = self[kind] = tuple(name for name in kind._fields if name not in PLAIN)
        return found


_parts = _Parts({ast.Constant: (), ast.Global: (), ast.Nonlocal: ()})


def parts_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a class of nodes, but for those that hold names and numbers.

    >>> parts_of(ast.Attribute), parts_of(ast.FunctionDef)[:3]
    (('value',), ('name', 'args', 'body'))
    """
    return _parts[kind]


def walk(root: ast.AST) -> list[ast.AST]:
    """What `ast.walk` goes through but for Load, Store and Del, in its order, at less than half its cost: each node
    asks three generators there.

    >>> [type(node).__name__ for node in walk(ast.parse("x = f(1)"))]
    ['Module', 'Assign', 'Name', 'Call', 'Name', 'Constant']
    """
    found = [root]
    for node in found:  # which grows meanwhile
        for name in _parts[type(node)]:  # as `children` does: a call a node would cost as much again
            value = getattr(node, name, None)
            if type(value) is list:
                found += value if name not in HOLED else [item for item in value if item is not None]
            elif value is not None and isinstance(value, ast.AST):
                found.append(value)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """What `ast.iter_child_nodes` gives but for Load, Store and Del.

    >>> [type(node).__name__ for node in children(ast.parse("f(x)").body[0])]
    ['Call']
    """
    found: list[ast.AST] = []
    for name in _parts[type(node)]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += value if name not in HOLED else [item for item in value if item is not None]
        elif value is not None and isinstance(value, ast.AST):
            found.append(value)
    return found
