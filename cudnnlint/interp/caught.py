"""Which errors a try is ready for: those that its handlers ask for, and what is asked whether it works."""

from __future__ import annotations

import ast

from cudnnlint.interp.telling import ANY_ERROR
from cudnnlint.source.walk import walk

QUIET = (ast.Pass, ast.Continue, ast.Return)


def caught_by(node: ast.Try) -> frozenset[str]:
    """The names of the exceptions that handlers ask for to go on quietly, or of which something is shown that is used
    for nothing else: the program is ready for them. A handler that catches everything, or says what it caught, hides a
    failure.
    """
    types: list[ast.expr] = []
    shown = all(isinstance(one, ast.Expr) for one in node.body)
    for handler in node.handlers:
        if handler.type is not None and (shown or all(isinstance(one, QUIET) for one in handler.body)):
            types += handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {one.attr if isinstance(one, ast.Attribute) else one.id for one in types
             if isinstance(one, ast.Attribute | ast.Name)}
    if "Exception" in names and shown and not any(map(_acts, node.body)):
        names |= ANY_ERROR
    names |= _gone_around(node)
    if any(_is_asked(node, handler) for handler in node.handlers):
        names |= ANY_ERROR
    return frozenset(names - {"Exception", "BaseException"})


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
