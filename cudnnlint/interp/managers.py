"""Functions with `@contextmanager`: followed to their `yield`, then the block under `with`, then what comes after."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from typing import Any

from cudnnlint.interp.builtin.special import asked, tested
from cudnnlint.interp.caught import caught_by
from cudnnlint.interp.comparison import truth
from cudnnlint.interp.contexts import enter, leave
from cudnnlint.interp.frames import Frame
from cudnnlint.interp.heap import NEXT, RETURN, YieldsV
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.names import assign
from cudnnlint.interp.objects import FunctionV, Scope
from cudnnlint.interp.own_functions import yields
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.values import Unknown

Rest = tuple[bool, Callable[[], int]]
"""(whether it is run however the body was left, what is left to run)"""


LATER = object()
"""The way that was taken through a statement has no yield."""


@record(eq=False, slots=True)
class ContextV:
    """What calling such a function gives: its frame, with the arguments bound, and what is left of it to run."""

    call: Call
    frame: Frame
    rests: list[Rest] = field(default_factory=list)

    def entered(self, m: Machine) -> Any:
        node = self.frame.function.node if self.frame.function is not None else None
        with self._at_work(m):
            return _to_yield(m, self, node.body) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None

    def left(self, m: Machine) -> None:
        code = NEXT
        with self._at_work(m):
            while self.rests:
                always, run = self.rests.pop()
                if always or code == NEXT:
                    after = run()
                    code = code if after == NEXT else after

    def called(self, c: Call) -> Any:
        """As a decorator: the function stays what it is."""
        return c.args[0] if len(c.args) == 1 else Unknown("call of a context manager")

    @contextmanager
    def _at_work(self, m: Machine) -> Iterator[None]:
        """Its frame on top, under a journal of its own."""
        m.calls.append(m.span(self.call.node))
        m.frames.append(self.frame)
        m.heap.open()
        try:
            yield
            pendings = [one for one in self.frame.pendings if one.kind == RETURN]
            self.frame.pendings.clear()
            m.heap.resolve(pendings, journal_falls=True)
        finally:
            m.heap.close()
            m.frames.pop()
            m.calls.pop()


def context(m: Machine, c: Call, function: FunctionV, bind: Callable[[Scope], object]) -> Any:
    """The call of a function that is a context manager: nothing of its body runs yet."""
    if len(m.frames) > m.limits.depth:
        return m.give_up("call depth", c.span)
    scope = Scope(function.scope, "function")
    bind(scope)
    frame = Frame(scope, function.module, function, m.frame.control)
    frame.receiver = plain(c.args[0]) if function.owner is not None and c.args else None
    frame.uncertain = m.uncertain
    return ContextV(c, frame)


def _to_yield(m: Machine, held: ContextV, body: Sequence[ast.stmt]) -> Any:
    """Run a body up to the statement that yields, and that up to its yield; the value."""
    for i, statement in enumerate(body):
        if yields(statement):
            held.rests.append((False, partial(m.run_block, body[i + 1:])))
            into: Into = INTO.get(type(statement), _whole)
            value = into(m, held, statement)
            if value is not LATER:
                return value
            held.rests.pop()
        elif m.run_block([statement]) != NEXT:
            break
    return Unknown("a context manager that does not yield")


def _expression(m: Machine, held: ContextV, node: Any) -> Any:
    """`yield x`, or `y = yield x`."""
    if not isinstance(node.value, ast.Yield):
        return _whole(m, held, node)
    value = m.eval(node.value.value) if node.value.value is not None else None
    for target in getattr(node, "targets", []):
        assign(m, target, None)
    return value


def _with(m: Machine, held: ContextV, node: ast.With) -> Any:
    for item in node.items:
        manager = m.eval(item.context_expr)
        value = enter(m, manager, item.context_expr)
        if item.optional_vars is not None:
            assign(m, item.optional_vars, value)

        def run(manager: Any = manager, at: ast.AST = item.context_expr) -> int:
            leave(m, manager, at)
            return NEXT

        held.rests.append((True, run))
    return _to_yield(m, held, node.body)


def _try(m: Machine, held: ContextV, node: ast.Try) -> Any:
    """Its handlers see what the block raises."""
    if not any(map(yields, node.body)):
        return _whole(m, held, node)
    m.trying += bool(node.handlers)
    m.caught.append(caught_by(m, node))

    def over() -> int:
        m.trying -= bool(node.handlers)
        m.caught.pop()
        return NEXT

    held.rests += [(True, partial(m.run_block, node.finalbody)), (False, partial(m.run_block, node.orelse)),
                   (True, over)]
    return _to_yield(m, held, node.body)


def _if(m: Machine, held: ContextV, node: ast.If) -> Any:
    test = tested(m, m.eval(asked(node.test)), node)
    verdict = truth(test)
    if verdict is None:
        return _whole(m, held, node)
    held.frame.control |= assumptions_of(test)
    taken = node.body if verdict else node.orelse
    if any(map(yields, taken)):
        return _to_yield(m, held, taken)
    return LATER if m.run_block(taken) == NEXT else Unknown("a context manager that does not yield")


def _whole(m: Machine, held: ContextV, node: ast.stmt) -> Any:
    """A loop, or a condition that is not known: run to its end before the block."""
    held.frame.yields = YieldsV()
    m.run_block([node])
    return _only(held.frame.yields)


def _only(found: YieldsV) -> Any:
    known = len(found.items) == 1 and found.unknown is None
    return found.items[0] if known else Unknown("what a context manager yields")


Into = Callable[[Machine, ContextV, Any], Any]
INTO: dict[type, Into] = {
    ast.Expr: _expression, ast.Assign: _expression, ast.With: _with, ast.AsyncWith: _with, ast.Try: _try, ast.If: _if,
}
