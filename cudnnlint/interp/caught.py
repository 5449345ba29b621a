"""Which errors a try is ready for: those that its handlers ask for, and what is asked whether it works."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

from cudnnlint.interp.telling import ANY_ERROR
from cudnnlint.source.walk import walk

if TYPE_CHECKING:
    from cudnnlint.interp.frames import Frame
    from cudnnlint.interp.machine import Machine

QUIET = (ast.Pass, ast.Continue, ast.Return)


def caught_by(m: Machine, node: ast.Try) -> frozenset[str]:
    """The names of the exceptions that handlers ask for to go on quietly, or of which something is shown that is used
    for nothing else: the program is ready for them. A handler that catches everything, or says what it caught, hides a
    failure, but where a test comes to it, which may be of what the handler does.
    """
    types: list[ast.expr] = []
    tested = any(map(_is_test, m.frames))
    shown = tested or all(isinstance(one, ast.Expr) for one in node.body) or _made_again(m, node)
    for handler in node.handlers:
        if handler.type is not None and (shown or all(isinstance(one, QUIET) for one in handler.body)):
            types += handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {one.attr if isinstance(one, ast.Attribute) else one.id for one in types
             if isinstance(one, ast.Attribute | ast.Name)}
    if "Exception" in names and shown and (tested or not any(map(_acts, node.body))):
        names |= ANY_ERROR
    names |= _gone_around(node)
    if any(_is_asked(node, handler) for handler in node.handlers):
        names |= ANY_ERROR
    return frozenset(names - {"Exception", "BaseException"})


def _is_test(frame: Frame) -> bool:
    """`def test_falls_back():` of a file of tests."""
    return frame.function is not None and frame.function.name.startswith("test_") \
        and "test" in os.path.basename(frame.module.path)


def _made_again(m: Machine, node: ast.Try) -> bool:
    """Whether what it makes is shown to fail: `x = y.view(8, 3)`, whose error is printed, and the next thing that is
    done with x is that it is made in another way."""
    first = node.body[0]
    if len(node.body) > 1 or not isinstance(first, ast.Assign) or not isinstance(name := first.targets[0], ast.Name) \
            or not all(isinstance(one, ast.Expr) for handler in node.handlers for one in handler.body):
        return False
    function = m.frame.function
    for one in _following(node, function.node if function is not None else m.frame.module.source.tree()):
        stored = isinstance(one, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name.id for target in one.targets)
        if stored or any(isinstance(part, ast.Name) and part.id == name.id for part in walk(one)):
            return stored and not any(isinstance(part, ast.Name) and part.id == name.id
                                      for part in walk(one.value))  # type: ignore[attr-defined]
    return False


def _following(node: ast.Try, root: ast.AST) -> list[ast.stmt]:
    """The statements after it in its block."""
    for each in walk(root):
        for block in (getattr(each, "body", None), getattr(each, "orelse", None), getattr(each, "finalbody", None)):
            if isinstance(block, list) and node in block:
                return block[block.index(node) + 1:]
    return []


def _is_asked(node: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether the handler does nothing but set a flag that the block sets as well: `ok = False` of whether it works."""
    asked = {getattr(each, "id", "") for each in walk(handler.type)} if handler.type is not None else {"Exception"}
    flags = {one.targets[0].id for one in handler.body if isinstance(one, ast.Assign) and len(one.targets) == 1
             and isinstance(one.targets[0], ast.Name) and isinstance(one.value, ast.Constant)
             and isinstance(one.value.value, bool)}
    set_there = {target.id for one in node.body if isinstance(one, ast.Assign) for target in one.targets
                 if isinstance(target, ast.Name)}
    return not asked.isdisjoint(("Exception", *ANY_ERROR)) and bool(flags) and len(flags) == len(handler.body) \
        and flags <= set_there


def _gone_around(node: ast.Try) -> frozenset[str]:
    """What `x = layer(x, training)` may raise where a handler makes `x = layer(x)` of it: another way to the same."""
    if len(node.body) != 1 or not isinstance(made := node.body[0], ast.Assign):
        return frozenset()
    names: set[str] = set()
    for handler in node.handlers:
        other = handler.body[-1]
        if isinstance(other, ast.Assign) and isinstance(other.value, ast.Call) and isinstance(made.value, ast.Call) \
                and list(map(ast.dump, other.targets)) == list(map(ast.dump, made.targets)) \
                and ast.dump(other.value.func) == ast.dump(made.value.func):
            asked = {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")
                     for each in walk(handler.type)} if handler.type is not None else {"Exception"}
            names |= asked | (ANY_ERROR if "Exception" in asked else frozenset())
    return frozenset(names)


ACTING = frozenset({"add", "append", "apply_gradients", "build", "compile", "evaluate", "fit", "fit_generator", "main",
                    "predict", "run", "save", "train", "train_on_batch"})
"""Methods that are called for what they do."""


def _acts(statement: ast.stmt) -> bool:
    """Whether it may be there for what it does, not for what it gives: `tf.reshape(x, (7, -1))` alone is an example."""
    calls = [node.func for node in walk(statement) if isinstance(node, ast.Call)]
    return any(each.attr in ACTING if isinstance(each, ast.Attribute) else
               not isinstance(each, ast.Name) or each.id != "print" for each in calls)
