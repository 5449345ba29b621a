"""`Block(self.width, self.width)`: parameters that are one and the same, though nobody knows what."""

from __future__ import annotations

import ast
from functools import lru_cache

from cudnnlint.interp.frames import Frame
from cudnnlint.interp.machine import Machine
from cudnnlint.source.walk import walk

STABLE = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.operator, ast.expr_context)
"""What gives the same each time that it is read, unlike calls and items taken from somewhere."""
DEEP = 4


def are_one(m: Machine, left: ast.expr, right: ast.expr) -> bool:
    """Whether two names are parameters of the function under way for which its caller wrote the same expression."""
    return isinstance(left, ast.Name) and isinstance(right, ast.Name) and left.id != right.id \
        and _are_one(m.frames, len(m.frames) - 1, left, right)


def _are_one(frames: list[Frame], at: int, left: ast.expr, right: ast.expr) -> bool:
    if not isinstance(left, ast.Name) or not isinstance(right, ast.Name) or at < 1 or len(frames) - at > DEEP:
        return False
    one, other = _given(frames[at], left.id), _given(frames[at], right.id)
    if one is None or other is None:
        return False
    same = ast.dump(one) == ast.dump(other)
    return (same and all(isinstance(part, STABLE) for part in walk(one))) or _are_one(frames, at - 1, one, other)


def _given(frame: Frame, name: str) -> ast.expr | None:
    """The expression of the call for a parameter that the function never sets."""
    function, call = frame.function, frame.call
    node = call.node if call is not None else None
    if function is None or call is None or not isinstance(node, ast.Call) or isinstance(function.node, ast.Lambda):
        return None
    names = [arg.arg for arg in (*function.node.args.posonlyargs, *function.node.args.args)]
    bound = len(call.args) - len(node.args)
    plainly = bound == (function.owner is not None) and all(keyword.arg in call.kwargs for keyword in node.keywords) \
        and len(call.kwargs) == len(node.keywords) and not any(isinstance(arg, ast.Starred) for arg in node.args)
    if not plainly or name in _set_in(function.node):
        return None
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
    place = names.index(name) - bound if name in names else -1
    return node.args[place] if 0 <= place < len(node.args) else None


@lru_cache(maxsize=256)
def _set_in(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    return frozenset(part.id for part in walk(node)
                     if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load))
