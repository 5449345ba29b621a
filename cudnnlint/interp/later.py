"""Attributes that are set later: what a method finds that nothing calls, once others have run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import ClassV, FunctionV, InstanceV
from cudnnlint.interp.subscript import MUTATORS
from cudnnlint.values import Tensor, Unknown

INITIAL = frozenset({"__init__", "__new__", "__post_init__", "build", "setUp", "reset"})
"""Methods that give attributes their first values."""


def open_attributes(m: Machine, instance: InstanceV) -> None:
    """Placeholders that other methods replace or fill, `None`, an empty list or tensor, a counter, are not known.

    Models, layers and data keep what they are: the order of methods in a class is mostly that in which they run.
    """
    changed = _changed(instance.cls)
    for name, value in list(instance.items.items()):
        if name in changed and is_placeholder(plain(value)):
            m.set_item(instance, name, Unknown(f"attribute {name}, which other methods set"))


def is_placeholder(value: Any) -> bool:
    """Whether it is what people write before there is anything: None, a number or flag, something empty."""
    if value is None or isinstance(value, bool | int | float | str):
        return True
    if isinstance(value, ListV | DictV | tuple):
        return not (value if isinstance(value, tuple) else value.items)
    return isinstance(value, Tensor) and isinstance(value.shape, tuple) and 0 in value.shape


def _changed(cls: ClassV) -> frozenset[str]:
    """Attributes that methods of the class assign or fill, other than those that make it what it is."""
    methods = (method for one in cls.mro if isinstance(one, ClassV) for method in one.items.values()
               if isinstance(method, FunctionV) and method.name not in INITIAL)
    return frozenset(name for method in methods if isinstance(method.node, ast.FunctionDef)
                     for name in _of(method.node))


@lru_cache(maxsize=4096)
def _of(node: ast.FunctionDef) -> tuple[str, ...]:
    arguments = (*node.args.posonlyargs, *node.args.args)
    return tuple(_names(node, arguments[0].arg)) if arguments else ()


def _names(node: ast.FunctionDef, receiver: str) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store | ast.Del):
            yield from _own(inner, receiver)
        elif isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store | ast.Del):
            yield from _own(inner.value, receiver)
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in MUTATORS:
            yield from _own(inner.func.value, receiver)


def _own(node: ast.expr, receiver: str) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver:
        yield node.attr
