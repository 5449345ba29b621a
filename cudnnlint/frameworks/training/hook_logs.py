"""What the hooks of a program's own callbacks ask of the logs that fit() hands them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cudnnlint.events import ModelView
from cudnnlint.frameworks.training.logged import ALIASES, SINCE, Logs, callbacks_of, help_for, logs_of
from cudnnlint.frameworks.training.step_logs import place_in
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import FunctionV, InstanceV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem

HOOK = "on_epoch_end"


def check_hook_logs(c: Call, method: str, seen: ModelView, arguments: dict[str, Any]) -> None:
    """`logs["val_accuracy"]` without validation data (keras/src/callbacks/callback_list.py: CallbackList.on_epoch_end
    hands the dict on as it is)."""
    m = c.machine
    if method != "fit" or not is_meant(m) or m.trying:
        return
    callbacks = callbacks_of(arguments.get("callbacks")) or []
    hooks = [hook for one in callbacks if (hook := _hook(one)) is not None]
    known = all(isinstance(plain(one), InstanceV | ObjectV) for one in callbacks)  # others may log what they like
    if not hooks or not known or any(_fills(function.node) for function, _ in hooks):
        return
    logs = logs_of(c, seen, {**arguments, "callbacks": None})
    for function, name in hooks if logs is not None else ():
        for node in _asked(function.node, name):
            if _lacks(logs, key := node.slice.value):  # type: ignore[arg-type, attr-defined]
                refuse(m, place_in(m, function, node, c.span), Mismatch(
                    Problem.NOT_LOGGED, f"the logs have no {key!r}, fit() logs {logs.told()}",  # type: ignore[union-attr]
                    where=SINCE, help=help_for(key, logs),  # type: ignore[arg-type]
                    error=f"KeyError '{key}'"), what=function.name, stage="fit")


def _lacks(logs: Logs, key: str) -> bool:
    """Only names that come of compile() and the data, whatever other callbacks may log."""
    base = key.removeprefix("val_")
    return base in ALIASES | logs.numbered | logs.names and logs.lacks(key)


def _hook(callback: Any) -> tuple[FunctionV, str] | None:
    """The function that runs after each epoch, and its name for the logs."""
    held = plain(callback)
    if isinstance(held, InstanceV):
        found, place = held.cls.lookup(HOOK), 2
    elif isinstance(held, ObjectV) and held.path == "keras.callbacks.LambdaCallback":
        found, place = plain(held.kwargs.get(HOOK)), 1
    else:
        return None
    if not isinstance(found, FunctionV) or len(names := found.node.args.args) <= place:
        return None
    return found, names[place].arg


def _fills(function: ast.AST) -> bool:
    """Whether it puts anything into a dict, such as the logs."""
    return any(node.attr in ("update", "setdefault") if isinstance(node, ast.Attribute)
               else isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) for node in walk(function))


def _asked(function: ast.AST, name: str) -> Iterator[ast.Subscript]:
    """`logs["loss"]` where it is certainly run in some epoch, but nothing if the hook looks what there is."""
    if any(isinstance(node, ast.Try) or (isinstance(node, ast.Compare)
                                         and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops))
           for node in walk(function)):
        return
    body = function.body if isinstance(function, ast.FunctionDef) else [function.body]  # type: ignore[attr-defined]
    for part in _certain(body, function.args.args[-2].arg):  # type: ignore[attr-defined]
        for node in ast.walk(part):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name \
                    and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                yield node


def _certain(body: list[ast.stmt], epoch: str) -> Iterator[ast.AST]:
    """The statements that are run in some epoch: of a branch its condition, and what lies within if that asks for no
    more than the epoch."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield statement.test
            names = {node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)}
            if names != {epoch}:
                return  # it may end the hook
            yield from _certain(statement.body, epoch)
        elif isinstance(statement, ast.For | ast.While | ast.With | ast.FunctionDef | ast.Return):
            return
        else:
            yield statement
