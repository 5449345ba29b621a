"""Calls that give None, and the names that hold it: functions without a return, methods that change their object."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import cache
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BuiltinV, External, FunctionV, InstanceV, MethodV, Scope
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Where

CALLED = ("call", "forward")
"""Methods that `model(x)` calls by another name."""
OF_KERAS = frozenset({
    "keras.Sequential.add", "keras.Model.compile", "keras.Model.summary", "keras.Model.build", "keras.Model.save",
    "keras.Model.save_weights", "keras.layers.Layer.set_weights", "keras.Model.set_weights",
    "keras.layers.Layer.build", "keras.Model.load_weights", "keras.layers.Layer.add_loss",
})
"""Methods that give None, run with Keras 3.15 and tf_keras 2.21."""
OF_PYTHON = frozenset({"random.shuffle", "numpy.random.shuffle", "random.seed", "numpy.random.seed", "print"})
OF_LISTS = frozenset({"append", "extend", "insert", "sort", "reverse", "clear", "remove"})
OF_DICTS = frozenset({"update", "clear", "add", "discard"})
OF_KERAS_3 = frozenset({"load_weights"})
"""With Keras 2 it may give a status (tf_keras/src/engine/training.py: Model.load_weights)."""
INSTEAD = {"sort": "sorted() gives a list", "shuffle": "random.sample(x, len(x)) gives a list",
           "append": "the list itself has grown", "extend": "the list itself has grown",
           "insert": "the list itself has grown"}


@record(frozen=True, slots=True)
class Nothing:
    """What gave None: `name` as it is told, and what to do about it; `what` it returns, as it is told; the `call`."""

    name: str
    help: str
    what: str = "nothing"
    where: Where = Where()
    call: Span | None = None


def note_nothing(m: Machine, function: FunctionV, scope: Scope, call: ast.AST) -> None:
    """A call of the program's own function that gave None: at its end, or by returning what another call gave."""
    if not isinstance(call, ast.Call) or not (
            function.name in CALLED or _name(call.func) == function.name or _stands_for(m, call.func, function)):
        return
    name = f"{function.owner.name}.{function.name}" if function.owner is not None else function.name
    ending = _ending(function.node)
    if ending == NOTHING:
        _note(m, call, Nothing(name, f"end {name}() with a return"))
    elif ending == PERHAPS:
        _note(m, call, Nothing(name, f"{name}() comes to its end without a return here", "nothing here"))
    elif (held := _only_name(function.node)) is not None and scope.items.get(held, ...) is None and (
            handed_on := m.notes.get("named nothing", {}).get((scope.born, held))) is not None:
        _note(m, call, handed_on)


def _stands_for(m: Machine, called: ast.expr, function: FunctionV) -> bool:
    """Whether a function is called by the name of a variable: `for make in makers: model = make()`."""
    return isinstance(called, ast.Name) and plain(m.eval(called)) is function


def _only_name(node: ast.AST) -> str | None:
    """The name of which a function returns the value, at its one return."""
    returned = [part.value for part in walk(node) if isinstance(part, ast.Return)]
    return returned[0].id if len(returned) == 1 and isinstance(returned[0], ast.Name) else None


def note_none(m: Machine, callee: Any, call: ast.Call) -> None:
    """A call of a library's function or method that gave None."""
    value, name = plain(callee), ""
    if isinstance(value, MethodV):
        receiver = plain(value.receiver)
        known = OF_LISTS if isinstance(receiver, ListV) else OF_DICTS if isinstance(receiver, DictV) else OF_KERAS
        name = value.name if value.name in known else ""
    elif isinstance(value, External | BuiltinV):
        path = value.path if isinstance(value, External) else value.name
        name = path if path in OF_PYTHON else ""
    if name:
        _note(m, call, _of_library(name.rpartition(".")[2]))


@cache
def _of_library(name: str) -> Nothing:
    advice = f"call {name}() on a line of its own" + (f"; {INSTEAD[name]}" if name in INSTEAD else "")
    return Nothing(name, advice, where=Where(keras=">=3") if name in OF_KERAS_3 else Where())


def _note(m: Machine, call: ast.Call, nothing: Nothing) -> None:
    m.notes.setdefault("gave nothing", {})[call] = nothing


def note_name(m: Machine, node: ast.Assign) -> None:
    """`model = build()`: whose nothing the name stands for."""
    key = _key(m, node.targets[0])
    if key is None:
        return
    nothing = source_of(m, node.value) if isinstance(node.value, ast.Call | ast.Name) else None
    named = m.notes.setdefault("named nothing", {})
    if nothing is not None:
        named[key] = nothing
    else:
        named.pop(key, None)


def note_given(m: Machine, function: FunctionV, scope: Scope, c: Call) -> None:
    """`train(model)` of a model that is None: so is the parameter."""
    written = c.node.args if isinstance(c.node, ast.Call) else []
    first = len(c.args) - len(written)
    names = [arg.arg for arg in (*function.node.args.posonlyargs, *function.node.args.args)]
    if first < 0 or any(isinstance(part, ast.Starred) for part in written):
        return
    for part, name, value in zip(written, names[first:], c.args[first:], strict=False):
        if value is None and scope.items.get(name, ...) is None and (nothing := source_of(m, part)) is not None:
            m.notes.setdefault("named nothing", {})[scope.born, name] = nothing


def source_of(m: Machine, node: ast.expr) -> Nothing | None:
    """What gave the None that an expression has: the call itself, or the one that its name was assigned."""
    found: Nothing | None
    if isinstance(node, ast.Call):
        found = m.notes.get("gave nothing", {}).get(node)
        return found and (found if found.call is not None else replace(found, call=m.span(node)))
    key = _key(m, node)
    found = m.notes.get("named nothing", {}).get(key) if key is not None else None
    return found


def _key(m: Machine, node: ast.expr) -> tuple[Any, str] | None:
    if isinstance(node, ast.Name):
        scope = m.frame.scope
        return (scope.born if node.id in scope.items else m.frame.module.scope.born), node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        held = plain(m.eval(node.value))
        return (held.born, node.attr) if isinstance(held, InstanceV) else None
    return None


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


NOTHING, PERHAPS, SOMETHING = range(3)


def returns_nothing(function: FunctionV) -> bool:
    """Whether a def does something and has no way to return a value; a stub is still to be written."""
    return _ending(function.node) == NOTHING


def _ending(node: Any) -> int:
    """NOTHING of a def that has no way to return a value; PERHAPS of one that returns values on some ways, none of them
    None by name, and may come to its end on another. Found once and kept on the node."""
    known: int | None = getattr(node, "cudnnlint_ending", None)
    if known is None:
        known = node.cudnnlint_ending = _found_ending(node)
    return known


def _found_ending(node: ast.AST) -> int:
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or all(map(_is_stub, node.body)):
        return SOMETHING
    parts = walk(node)
    returned = [part.value for part in parts if isinstance(part, ast.Return)]
    if not any(returned) and not any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Await) for part in parts):
        return NOTHING
    ends = isinstance(node.body[-1], ast.Return | ast.Raise) or not returned or any(
        value is None or (isinstance(value, ast.Constant) and value.value is None) for value in returned)
    return SOMETHING if ends else PERHAPS


def _is_stub(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass | ast.Raise | ast.FunctionDef | ast.Import | ast.ImportFrom) \
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) \
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name) and node.value.func.id == "print") \
        or (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant))
