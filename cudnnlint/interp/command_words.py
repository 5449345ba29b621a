"""How a script is run that takes a value from its arguments, if it is given any: without them, by its default."""

from __future__ import annotations

import ast
import operator
from typing import Any

from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import External
from cudnnlint.source.walk import walk
from cudnnlint.values import Assumption

WITHOUT = frozenset({Assumption("the command line has no arguments")})
ASKED = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
         ast.GtE: operator.ge}


def without_arguments(m: Machine, node: ast.If | ast.IfExp) -> Any:
    """What the test of `int(sys.argv[1]) if len(sys.argv) > 1 else 8` is then; None where it asks for something else,
    or where there is no default."""
    test = node.test
    first = test.values[0] if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else test
    if not isinstance(first, ast.Compare) or not isinstance(first.left, ast.Call):
        return None
    body, orelse = (node.body, node.orelse) if isinstance(node, ast.If) else ([node.body], [node.orelse])
    if isinstance(node, ast.If) and not all(map(_assigns, (*node.body, *node.orelse))):
        return None
    holds = _holds(m, first, first.left)
    if holds is None or (holds and first is not test):
        return None
    taken, other = (body, orelse) if holds else (orelse, body)
    words = ast.dump(first.left.args[0])
    if not any(ast.dump(part) == words for arm in other for part in walk(arm)) or any(map(_is_none, taken)):
        return None
    return assume(holds, WITHOUT)


def _holds(m: Machine, test: ast.Compare, counted: ast.Call) -> bool | None:
    """What `len(sys.argv) > 1` is of the script's name alone."""
    count, asked = test.comparators[0], ASKED.get(type(test.ops[0]))
    if asked is None or len(test.ops) != 1 or not isinstance(count, ast.Constant) or not isinstance(count.value, int):
        return None
    if not isinstance(counted.func, ast.Name) or counted.func.id != "len" or len(counted.args) != 1 \
            or not isinstance(counted.args[0], ast.Name | ast.Attribute):
        return None
    words = plain(m.eval(counted.args[0]))
    return bool(asked(1, count.value)) if isinstance(words, External) and words.path == "sys.argv" else None


def _assigns(statement: ast.AST) -> bool:
    return isinstance(statement, ast.Assign) and all(isinstance(name, ast.Name) for name in statement.targets)


def _is_none(arm: ast.AST) -> bool:
    value = arm.value if isinstance(arm, ast.Assign) else arm
    return isinstance(value, ast.Constant) and value.value is None
