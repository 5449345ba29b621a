"""Callbacks of Lightning: what the program's own ones hold once a Trainer has run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cudnnlint.interp.forget import lose_changed
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import ClassV, FunctionV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.source.walk import walk
from cudnnlint.values import Unknown


def run_callbacks(c: Call) -> None:
    """Which hooks run, and which methods of their own these call, is up to the Trainer: what any of them sets or fills
    is not known after it (lightning/pytorch/trainer/call.py: _call_callback_hooks)."""
    arguments = getattr(plain(c.receiver), "kwargs", {})
    given = plain(arguments.get("callbacks"))
    held = [given] if isinstance(given, InstanceV) else elements(c.machine, given) if given is not None else ()
    for callback in () if isinstance(held, Unknown) else map(plain, held):
        if isinstance(callback, InstanceV):
            for method in _methods(callback):
                lose_changed(c.machine, method, callback)
                for name in _set_by(method.node) & callback.items.keys():
                    c.machine.set_item(callback, name, Unknown("what a callback has set"))


def _methods(callback: InstanceV) -> Iterator[FunctionV]:
    """Those of the program's classes, but for the constructors, which have run."""
    for cls in callback.cls.mro:
        if isinstance(cls, ClassV):
            yield from (held for name, held in cls.items.items() if isinstance(held, FunctionV) and name != "__init__")


def _set_by(function: ast.AST) -> set[str]:
    """`result` of `self.result = torch.cat(found)`."""
    return {node.attr for node in walk(function) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name) and node.value.id == "self"}


__all__ = ["run_callbacks"]
