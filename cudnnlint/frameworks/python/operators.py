"""The module `operator`: operators as functions, and functions that take something out of what they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BuiltinV
from cudnnlint.interp.operators import binary
from cudnnlint.interp.registry import Call, Handler
from cudnnlint.interp.subscript import get_item
from cudnnlint.values import Unknown

BINARY: dict[str, ast.operator] = {
    "add": ast.Add(), "iadd": ast.Add(), "concat": ast.Add(), "sub": ast.Sub(), "mul": ast.Mult(), "imul": ast.Mult(),
    "truediv": ast.Div(), "floordiv": ast.FloorDiv(), "mod": ast.Mod(), "pow": ast.Pow(), "matmul": ast.MatMult()}


def _of_two(op: ast.operator) -> Handler:
    return lambda c: binary(c.machine, op, c.args[0], c.args[1], c.node) if len(c.args) == 2 else Unknown("an operator")


for _name, _op in BINARY.items():
    FRAMEWORK.on(f"operator.{_name}")(_of_two(_op))


@FRAMEWORK.on("operator.getitem")
def of_item(c: Call) -> Any:
    return get_item(c.machine, c.args[0], c.args[1], c.node) if len(c.args) == 2 else Unknown("an item")


def _taker(take: Callable[[Machine, Any, Any, ast.AST], Any]) -> Handler:
    """`itemgetter(1)` gives one, `itemgetter(1, 0)` a tuple."""

    def make(c: Call) -> Any:
        def run(inner: Call) -> Any:
            if not inner.args or not c.args:
                return Unknown("what is taken out of nothing")
            found = tuple(take(inner.machine, inner.args[0], key, inner.node) for key in c.args)
            return found[0] if len(found) == 1 else found

        return BuiltinV(plain(c.callee).path, run)

    return make


def _by_name(m: Machine, value: Any, name: Any, node: ast.AST) -> Any:
    text = plain(name)
    if not isinstance(text, str):
        return Unknown("an attribute")
    for part in text.split("."):
        value = get_attribute(m, value, part, node)
    return value


FRAMEWORK.on("operator.itemgetter")(_taker(get_item))
FRAMEWORK.on("operator.attrgetter")(_taker(_by_name))
