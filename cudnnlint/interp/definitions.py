"""def and class, and what decorators leave of them."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.classes import define_class
from cudnnlint.interp.decorating import of_library
from cudnnlint.interp.decorators import is_noted
from cudnnlint.interp.heap import NEXT
from cudnnlint.interp.machine import Machine, executes, plain
from cudnnlint.interp.names import target_scope
from cudnnlint.interp.objects import External, FunctionV
from cudnnlint.interp.own_functions import make_function
from cudnnlint.values import Unknown


@executes(ast.FunctionDef, ast.AsyncFunctionDef)
def function_definition(m: Machine, node: ast.FunctionDef) -> int:
    made = make_function(m, node, node.name)
    if m.functions.setdefault(id(node), made).module is not made.module and made.module.name == "__main__":
        m.functions[id(node)] = made  # the file imports itself, under another name
    value: Any = made
    for decorator in reversed(node.decorator_list):
        value = decorate(m, decorator, value)
    if isinstance(value, FunctionV) and value.node is node and m.functions[id(node)] is made:
        m.functions[id(node)] = value  # a tf.function is another one, which has an owner if it is a method
    m.set_item(target_scope(m, node.name), node.name, value)
    return NEXT


KINDS = {"staticmethod": "static", "classmethod": "class", "property": "property"}


def decorate(m: Machine, decorator: ast.expr, value: Any) -> Any:
    """Apply a decorator; one that is not understood makes the function unknown."""
    callee = plain(m.eval(decorator.func if isinstance(decorator, ast.Call) else decorator))
    kind = KINDS.get(getattr(callee, "name", ""))
    if kind and isinstance(value, FunctionV):
        value.kind = kind
        return value
    if isinstance(callee, External):
        return of_library(m, decorator, callee.path, value)
    if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "getter", "deleter"):
        return _accessor(plain(m.eval(decorator.value)), decorator.attr, value)
    if isinstance(callee, Unknown):
        noted = isinstance(value, FunctionV) and is_noted(decorator, of_class=False)
        return value if noted else Unknown("decorated with something unknown")
    return m.call(m.eval(decorator), [value], {}, decorator)


def _accessor(holder: Any, name: str, value: Any) -> Any:
    """`@size.setter` and its like, of a property."""
    if isinstance(holder, FunctionV) and isinstance(value, FunctionV) and name != "getter":
        setattr(holder, name, value)
    return holder


@executes(ast.ClassDef)
def class_definition(m: Machine, node: ast.ClassDef) -> int:
    m.set_item(target_scope(m, node.name), node.name, define_class(m, node))
    return NEXT
