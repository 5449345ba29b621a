"""What a turn of a loop leaves and no later one reads: where only that changes, another turn tells nothing new."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from typing import Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.objects import Scope
from cudnnlint.source.walk import children, walk

AnyLoop = ast.For | ast.AsyncFor | ast.While
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
GROWING = frozenset({"append", "extend", "appendleft"})
FORGIVING = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})
"""What a `with` names that goes on behind its body though an exception ended that."""
LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Unread:
    """Of the body of a loop: names that each turn binds before it reads them, those of numbers that it counts on with
    and does nothing else with, and those of lists and dicts that it puts something into and does nothing else with."""

    __slots__ = ("bound", "counted", "grown")

    def __init__(self, loop: AnyLoop, around: ast.AST) -> None:
        turn, captured = _Turn(loop), _captured(around)
        self.bound = frozenset(turn.bound - turn.read - captured)
        self.grown, counted = _only_grown(loop)
        self.counted = counted - captured

    def held(self, scope: Scope) -> list[ListV | DictV]:
        """The lists and dicts behind those names."""
        return [held for name in self.grown if isinstance(held := scope.items.get(name), ListV | DictV)]


def unread(loop: AnyLoop, around: ast.AST) -> Unread:
    """`around` is the function or module that the loop stands in; found once and kept on the node.

    >>> tree = ast.parse("for i in ids:\\n y = f(i)\\n if y: z = y\\n total += z\\n found.append(y)")
    >>> left = unread(tree.body[0], tree)
    >>> sorted(left.bound), sorted(left.grown), sorted(left.counted)
    (['i', 'y'], ['found'], ['total'])
    >>> tree = ast.parse("for i in ids:\\n with suppress(KeyError):\\n  y = f(i)\\n g(y)")
    >>> sorted(unread(tree.body[0], tree).bound)
    ['i']
    """
    known: Unread | None = getattr(loop, "cudnnlint_unread", None)
    if known is None:
        known = loop.cudnnlint_unread = Unread(loop, around)  # type: ignore[union-attr]
    return known


def _goes_on(item: ast.withitem) -> bool:
    named = item.context_expr.func if isinstance(item.context_expr, ast.Call) else item.context_expr
    return getattr(named, "attr", getattr(named, "id", "")) in FORGIVING


class _Turn:
    """Goes through a turn in the order in which Python does: what it may read before it has bound it, and what it
    binds at all."""

    def __init__(self, loop: AnyLoop) -> None:
        self.read: set[str] = set()
        self.bound: set[str] = set()
        first: set[str] = set()
        if isinstance(loop, ast.While):
            self._expression(loop.test, first)
        else:
            self._bind(loop.target, first)
        self._block(loop.body, first)

    def _block(self, body: Iterable[ast.stmt], bound: set[str]) -> bool:
        """Whether its end is reached; what is bound there is added to `bound`."""
        for statement in body:
            self._statement(statement, bound)
            if isinstance(statement, LEAVING):
                return False
        return True

    def _statement(self, node: ast.stmt, bound: set[str]) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self._expression(value, bound)
                for target in targets:
                    self._bind(target, bound)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self._expression(value, bound)
                self._bind(target, bound)
            case ast.For(target=target, iter=over, body=body, orelse=orelse):
                self._expression(over, bound)
                within = set(bound)
                self._bind(target, within)
                self._block(body, within)
                self._block(orelse, set(bound))
            case ast.If(test=test, body=body, orelse=orelse):
                self._expression(test, bound)
                arms = [set(bound), set(bound)]
                ends = [arm for block, arm in zip((body, orelse), arms, strict=True) if self._block(block, arm)]
                bound |= set.intersection(*(ends or arms))
            case ast.With(items=items, body=body):
                for item in items:
                    self._expression(item.context_expr, bound)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, bound)
                self._block(body, set(bound) if any(map(_goes_on, items)) else bound)
            case _:
                self._other(node, bound)

    def _other(self, node: ast.AST, bound: set[str]) -> None:
        """Whatever it names it may read, and what it binds it need not."""
        for part in walk(node):
            if isinstance(part, ast.Name):
                if part.id not in bound:
                    self.read.add(part.id)
                self.bound.add(part.id)

    _expression = _other

    def _bind(self, target: ast.expr, bound: set[str]) -> None:
        if isinstance(target, ast.Name):
            bound.add(target.id)
            self.bound.add(target.id)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, bound)
        elif isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._bind(each, bound)
        else:
            self._expression(target, bound)


def _captured(around: ast.AST) -> frozenset[str]:
    """Names that functions which stand in a function or a module have from outside: a turn may call them; kept on the
    node.

    >>> sorted(_captured(ast.parse("def f(x):\\n y = x + z\\n return lambda: y + w")))
    ['w', 'y', 'z']
    """
    known: frozenset[str] | None = getattr(around, "cudnnlint_captured", None)
    if known is None:
        inner = [node for node in walk(around) if isinstance(node, FUNCTIONS) and node is not around]
        known = frozenset(name for function in inner for name in _free(function))
        around.cudnnlint_captured = known  # type: ignore[attr-defined]
    return known


def _free(function: ast.AST) -> set[str]:
    """Names that a function reads and does not bind, those within it left to themselves; what a class in it binds, or a
    comprehension, counts as its own."""
    read, own, outer = set[str](), set[str](), set[str]()
    todo: list[Any] = [function]
    while todo:
        part = todo.pop()
        kind = type(part)
        if kind is ast.Name:
            (read if type(part.ctx) is ast.Load else own).add(part.id)
        elif kind is ast.arg:
            own.add(part.arg)
        elif kind is ast.Global or kind is ast.Nonlocal:
            outer.update(part.names)
        if part is function or kind not in FUNCTIONS:
            todo += children(part)
    return (read - own) | outer


def _only_grown(loop: AnyLoop) -> tuple[frozenset[str], frozenset[str]]:
    """`losses` of `losses.append(loss)`, `sums` of `sums[key] = loss`, and `seen` of `seen += 1`, where nothing else of
    the loop names it."""
    grown, counted, named = Counter[str](), Counter[str](), Counter[str]()
    for node in walk(loop):
        match node:
            case ast.Name(id=name):
                named[name] += 1
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method, value=ast.Name(id=name)))) \
                    if method in GROWING:
                grown[name] += 1
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                grown[name] += 1
            case ast.AugAssign(target=ast.Name(id=name)):
                counted[name] += 1
    grown_only, counted_only = (frozenset(name for name, times in each.items() if named[name] == times)
                                for each in (grown, counted))
    return grown_only, counted_only
