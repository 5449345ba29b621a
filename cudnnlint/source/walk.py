"""All nodes of a tree at once: whole modules and functions are looked through for many reasons."""

from __future__ import annotations

import ast


def walk(root: ast.AST) -> list[ast.AST]:
    """What `ast.walk` goes through, in its order, at less than half its cost: each node asks three generators there.

    >>> [type(node).__name__ for node in walk(ast.parse("x = f(1)"))]
    ['Module', 'Assign', 'Name', 'Call', 'Store', 'Name', 'Constant', 'Load']
    """
    found = [root]
    for node in found:  # which grows meanwhile
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif type(value) is list:
                found += [item for item in value if isinstance(item, ast.AST)]
    return found
