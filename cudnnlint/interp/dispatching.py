"""Conditions on the data itself, `if x.ndim == 3`, `if edges is None`: they pick the arm that suits what came, so that
of two arms the one that fails is not the one that is taken."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from cudnnlint.interp.machine import Machine
from cudnnlint.source.walk import walk
from cudnnlint.values import Unknown

SUITED = "rank or kind of what was not followed"
"""Among the conditions of an arm that is there for data of one kind."""
GIVEN = ("parameter ", "argument ", "isinstance of a parameter")
ASKED_OF = frozenset({"dim", "ndim", "ndims", "ndimension", "shape", "get_shape", "size", "numel", "rank", "dtype"})
ASKING = frozenset({"isinstance", "type", "hasattr"})


def suits(m: Machine, node: ast.If, condition: object) -> bool:
    """Whether an `if` asks for the kind of data that the program has, and that was lost on the way here. What a caller
    gives, of a function that nothing calls, may be of either kind; so may what the machine or the user has, whose
    length a program asks for where it has it: `len(gpus)`, `len(sys.argv)`."""
    if not isinstance(condition, Unknown) or condition.why.startswith(GIVEN):
        return False
    known: tuple[bool, frozenset[str]] | None = getattr(node, "cudnnlint_suits", None)
    if known is None:
        parts = list(walk(node.test))
        known = node.cudnnlint_suits = any(map(_asks, parts)), frozenset(map(_counted, parts))  # type: ignore[attr-defined]
    asks, counted = known
    return asks or not counted.isdisjoint(_parameters(m))


def _asks(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in ASKED_OF
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING


def _counted(node: ast.AST) -> str:
    """The name in `len(name)`, "" of anything else."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return name
    return ""


def _parameters(m: Machine) -> set[str]:
    function = m.frame.function
    if function is None:
        return set()
    given = function.node.args
    return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def is_other_arm(m: Machine, test: ast.expr, holds: bool) -> bool:
    """Whether `name is None` asks for an arm that was not taken: `name = None` stands in one arm of an `if` of the
    function, and what the name holds came from the other one."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_other_arm(m, test.operand, not holds)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.left, ast.Name) \
            or not isinstance(test.ops[0], ast.Is | ast.IsNot) or m.frame.function is None:
        return False
    right = test.comparators[0]
    absent = holds is isinstance(test.ops[0], ast.Is)
    return not absent and isinstance(right, ast.Constant) and right.value is None \
        and test.left.id in _left_out(m.frame.function.node)


def _left_out(function: ast.AST) -> frozenset[str]:
    """Names that one arm of an `if` sets to None, and the other one to something else; kept on the node."""
    known: frozenset[str] | None = getattr(function, "cudnnlint_left_out", None)
    if known is None:
        found: set[str] = set()
        for node in walk(function):
            if isinstance(node, ast.If):
                for here, there in ((node.body, node.orelse), (node.orelse, node.body)):
                    found |= _set(here, to_none=True) & _set(there, to_none=False)
        known = function.cudnnlint_left_out = frozenset(found)  # type: ignore[attr-defined]
    return known


def _set(body: Sequence[ast.stmt], *, to_none: bool) -> set[str]:
    return {name.id for statement in body if isinstance(statement, ast.Assign)
            and to_none is (isinstance(statement.value, ast.Constant) and statement.value.value is None)
            for target in statement.targets for name in walk(target) if isinstance(name, ast.Name)}
