"""Conditions on the data itself, `if x.ndim == 3`, `if edges is None`: they pick the arm that suits what came, so that
of two arms the one that fails is not the one that is taken."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import External, ModuleV, NamespaceV, Scope
from cudnnlint.source.walk import walk
from cudnnlint.values import Unknown

SUITED = "rank or kind of what was not followed"
"""Among the conditions of an arm that is there for data of one kind."""
GIVEN = ("parameter ", "argument ", "isinstance of a parameter")
ASKED_OF = frozenset({"dim", "ndim", "ndims", "ndimension", "shape", "get_shape", "size", "numel", "rank", "dtype"})
ASKING = frozenset({"isinstance", "type", "hasattr"})
NO_DATA = (External, ModuleV, NamespaceV, AttrDictV)
"""What has a rank or a size of another kind: `hvd.size()`, `args.rank`."""


def suits(m: Machine, node: ast.If, condition: object) -> bool:
    """Whether an `if` asks for the kind of data that the program has, and that was lost on the way here. What a caller
    gives, of a function that nothing calls, may be of either kind; so may what the machine or the user has:
    `len(gpus)`, `len(sys.argv)`, `hvd.rank()`, `args.size`."""
    if not isinstance(condition, Unknown) or condition.why.startswith(GIVEN):
        return False
    known: tuple[frozenset[str], frozenset[str]] | None = getattr(node, "cudnnlint_suits", None)
    if known is None:
        parts = list(walk(node.test))
        known = node.cudnnlint_suits = (  # type: ignore[attr-defined]
            frozenset(name for part in parts for name in _asked(part)), frozenset(map(_counted, parts)))
    asked, counted = known
    return any(_is_data(m, name) for name in asked) or not counted.isdisjoint(_parameters(m))


def _asked(node: ast.AST) -> Iterator[str]:
    """Names of what is asked for its rank, size or kind: x of `x.ndim`, `tf.rank(x)` and `isinstance(x, list)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[given, *_]) \
                if name in ASKING or name in ASKED_OF:
            yield from _root(given)
        case ast.Attribute(value=base, attr=name) if name in ASKED_OF:
            yield from _root(base)


def _root(node: ast.AST) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        yield from _root(node.func)
    elif isinstance(node, ast.Name):
        yield node.id


def _is_data(m: Machine, name: str) -> bool:
    scope: Scope | None = m.frame.scope
    while scope is not None and name not in scope.items:
        scope = scope.parent
    return scope is not None and not isinstance(plain(scope.items[name]), NO_DATA)


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
