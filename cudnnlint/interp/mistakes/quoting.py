"""What is written at a place, for messages: one line of it, cut where it is long and said so."""

from __future__ import annotations

import ast


def quoted(node: ast.AST, most: int = 40) -> str:
    """
    >>> quoted(ast.parse("f(x)", mode="eval")), quoted(ast.parse("image[top:bottom, left:right]", mode="eval"), 16)
    ('f(x)', 'image[top:bot...')
    """
    text = ast.unparse(node)
    return text if len(text) <= most else text[:most - 3] + "..."
