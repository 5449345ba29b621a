"""What is no longer known once code that is not followed was handed the program's own lists, dicts and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.changed_arrays import lose_elements
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.loops.kept import dropped
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV, MethodV, Scope
from cudnnlint.interp.registry import ROOTS, Call
from cudnnlint.interp.subscript import lose_any
from cudnnlint.interp.torch.frozen import WHOLLY
from cudnnlint.source.walk import walk
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.unknown import Grown, OneOf

HARMLESS = frozenset({"tqdm", "wandb", "mlflow", "yaml", "rich", "loguru", "comet_ml", "neptune",
                      "clearml", "toml", "tomllib"})
"""Libraries without a model that read the lists and dicts they are given."""


def reads_only(path: str) -> bool:
    """Whether a library function leaves its arguments as they are."""
    top = path.partition(".")[0]
    return top in ROOTS or top in HARMLESS


HANDED = "handed away"
"""Among a machine's state: the functions that code that is not followed was handed, which it may call again."""


def forget(m: Machine, c: Call) -> None:
    """An unknown callable may change the lists and dicts that it is given, and call what was handed away before: a
    hook runs whenever the model does.
    """
    for value in () if _only_looks(c.node) else (*c.args, *c.kwargs.values()):
        held = plain(value)
        _lose(m, held.receiver if isinstance(held, MethodV) else held)  # `words.update` given away
    forget_closures(m, c)
    for function, receiver in m.state.get(HANDED, {}).values():
        lose_changed(m, function, receiver)


def _only_looks(node: ast.AST) -> bool:
    """Whether it is an assertion: `self.assertAllClose(x, y)`, `np.testing.assert_equal(x, y)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert")


def forget_closures(m: Machine, c: Call) -> None:
    """It may call the functions that it is given, now or later: what these append to is no longer known."""
    if m.state.get(WHOLLY) and not all(isinstance(plain(value), str | int | float | None | Tensor | Unknown)
                                       for value in (*c.args, *c.kwargs.values())):
        m.state.pop(WHOLLY)  # it may train parts of a module that was frozen
    for value in (*c.args, *c.kwargs.values()):
        held = plain(value)
        receiver = held.receiver if isinstance(held, BoundV) else None
        function = held.function if isinstance(held, BoundV) else held
        if isinstance(function, FunctionV) and (changed_in(function.node) or called_in(function.node)):
            lose_changed(m, function, receiver)
            m.state.setdefault(HANDED, {})[id(function.node), id(receiver)] = function, receiver


def lose_changed(m: Machine, function: FunctionV, receiver: Any, ran: frozenset[int] = frozenset()) -> None:
    """`function` runs, who knows how often: of what it changes in place, it or a method of its object that it calls,
    nothing is known then."""
    for changed in changed_in(function.node):
        if isinstance(changed, ast.Name):
            _lose(m, _outer(function.scope, changed.id))
        elif isinstance(receiver, InstanceV):
            _lose(m, receiver.items.get(changed.attr))
    for name in called_in(function.node) if isinstance(receiver, InstanceV) else ():
        method = receiver.cls.lookup(name)
        if isinstance(method, FunctionV) and id(method.node) not in ran:
            lose_changed(m, method, receiver, ran | {id(function.node), id(method.node)})


CHANGING = frozenset({"append", "extend", "insert", "update", "setdefault", "pop", "popitem", "remove", "clear", "add",
                      "appendleft"})


def changed_in(function: Any) -> tuple[ast.Name | ast.Attribute, ...]:
    """What a function's body changes in place; found once and kept on the node."""
    known: tuple[ast.Name | ast.Attribute, ...] | None = getattr(function, "cudnnlint_changes", None)
    if known is None:
        known = function.cudnnlint_changes = tuple(_changes(function))
    return known


def called_in(function: Any) -> tuple[str, ...]:
    """The methods of its own object that a method calls, `self.add(row)`; found once and kept on the node."""
    known: tuple[str, ...] | None = getattr(function, "cudnnlint_asks", None)
    if known is None:
        own = function.args.args[0].arg if getattr(function, "args", None) and function.args.args else None
        known = function.cudnnlint_asks = tuple(dict.fromkeys(
            node.func.attr for node in walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name) and node.func.value.id == own))
    return known


def _changes(function: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """`found` of found.append(x), `self.items` of self.items[0] = x."""
    for node in walk(function):
        held: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            held = node.func.value
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            held = node.value
        elif isinstance(node, ast.AugAssign):
            held = node.target
        if isinstance(held, (ast.Name, ast.Attribute)):
            yield held


def _outer(scope: Scope | None, name: str) -> Any:
    while scope is not None:
        if name in scope.items:
            return scope.items[name]
        scope = scope.parent
    return None


def _lose(m: Machine, value: Any) -> None:
    value = plain(value)
    if type(value) is Tensor:
        lose_elements(m, value)
    if type(value) is OneOf:
        lose_any(m, value)
    held = value.extra if isinstance(value, InstanceV) else value
    if getattr(held, "asked", True) is False:
        held.asked = True  # or call it
    if getattr(held, "compiled", 0) is None:
        m.heap.touch(held)
        held.compiled = {}  # it may compile the model
    if isinstance(value, (ListV, DictV)) and (not value.unknown or type(value.unknown) is Grown
                                              or getattr(value, "kept", None) is not None):
        m.heap.touch(value)
        dropped(m, value)
        value.unknown = Unknown("passed to an unknown function")
