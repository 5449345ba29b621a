"""Statements: assignment, branches, jumps and match."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from cudnnlint.interp.arms import note_guarded, rest_on
from cudnnlint.interp.attributes import get_attribute, method_of
from cudnnlint.interp.builtin.special import asked, tested
from cudnnlint.interp.changed_arrays import lose_elements
from cudnnlint.interp.command_words import without_arguments
from cudnnlint.interp.comparison import truth
from cudnnlint.interp.dispatching import SUITED, suits
from cudnnlint.interp.heap import BREAK, CONTINUE, NEXT, RETURN, STOP, ListV, Raised, RaisedAs
from cudnnlint.interp.loops.kept import JOINING, joined, kept
from cudnnlint.interp.loops.narrowing import narrow
from cudnnlint.interp.loops.once import run_arm, run_known_arm
from cudnnlint.interp.loops.resets import is_reset
from cudnnlint.interp.machine import Machine, assume, assumptions_of, executes, plain
from cudnnlint.interp.matching import Match
from cudnnlint.interp.mistakes.assertions import tell_of_assertion, tell_of_raise
from cudnnlint.interp.mistakes.in_place import in_place
from cudnnlint.interp.mistakes.nothing import note_name
from cudnnlint.interp.mistakes.nothing_used import tell_of_unpacked
from cudnnlint.interp.mistakes.one_value import tell_of_condition
from cudnnlint.interp.names import assign, delete, load, target_scope
from cudnnlint.interp.objects import MISSING, External, InstanceV
from cudnnlint.interp.operators import binary, in_place_name
from cudnnlint.interp.raising import only_raises
from cudnnlint.interp.settled import doubt, fork_on, settle
from cudnnlint.interp.subscript import lose_any
from cudnnlint.interp.torch import histories
from cudnnlint.interp.torch.leaves import written_into
from cudnnlint.interp.views import kept_view
from cudnnlint.source.walk import walk
from cudnnlint.values import Assumed, Tensor, Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.unknown import OneOf


@executes(ast.Expr)
def expression(m: Machine, node: ast.Expr) -> int:
    """Nothing follows `yield from` something that never ends."""
    m.eval(node.value)
    return STOP if type(node.value) is ast.YieldFrom and m.state.get("endless") else NEXT


@executes(ast.Assign)
def assignment(m: Machine, node: ast.Assign) -> int:
    value = m.eval(node.value)
    if type(value) is ListV and type(node.value) is ast.Call:
        value = kept_view(m, node.value, value)
    if m.watch is not None:
        m.note(node, value)
    if value is None:
        tell_of_unpacked(m, node)
    if m.loops and len(node.targets) == 1 and isinstance(
            held := value.value if type(value) is Assumed else value, Tensor):
        if held.kind == "torch":
            _note_carried(m, node, node.targets[0], held)
        elif held.step is not None and held.step.maker in JOINING and isinstance(node.targets[0], ast.Name):
            joined(m, node, node.targets[0], held)
    for target in node.targets:
        assign(m, target, value)
    if value is None:
        note_name(m, node)
    return NEXT


def _note_carried(m: Machine, node: ast.Assign, target: ast.expr, value: Tensor) -> None:
    """What is calculated from what it held: `total = total + loss`, `sums[key] = sums[key] + loss`."""
    if not isinstance(node.value, ast.BinOp | ast.IfExp | ast.Call):
        return
    text = ast.unparse(target)
    if isinstance(target, ast.Name | ast.Attribute | ast.Subscript) and any(
            type(part) is type(target) and ast.unparse(part) == text for part in walk(node.value)) \
            and not is_reset(m, target, m.span(node)):
        before = m.frame.scope.items.get(target.id) if isinstance(target, ast.Name) else _held(m, target)
        histories.carried(m, before, value, m.span(node))


def _held(m: Machine, target: ast.Attribute | ast.Subscript) -> Any:
    if isinstance(target, ast.Attribute):
        return get_attribute(m, m.eval(target.value), target.attr, target)
    return m.eval(ast.copy_location(ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load()), target))


@executes(ast.AnnAssign)
def annotated(m: Machine, node: ast.AnnAssign) -> int:
    if node.value is not None:
        value = m.eval(node.value)
        m.note(node, value)
        assign(m, node.target, value)
    return NEXT


@executes(ast.AugAssign)
def augmented(m: Machine, node: ast.AugAssign) -> int:
    target = node.target
    current = load(m, target.id) if isinstance(target, ast.Name) else _held(m, target)
    operand = m.eval(node.value)
    held = plain(current)
    if isinstance(held, ListV) and isinstance(node.op, ast.Add):
        if m.loops:
            kept(m, held, operand, m.span(node), listed=True)
            for item in part.items if isinstance(part := plain(operand), ListV) else ():
                histories.appended(m, held, item, m.span(node))
        _extend(m, held, operand)
        return NEXT
    if type(held) is OneOf:
        lose_any(m, held)
    if isinstance(held, ListV) and isinstance(node.op, ast.Mult):
        _repeat(m, held, plain(operand))
        return NEXT
    if m.loops and isinstance(node.op, ast.Add) and isinstance(plain(operand), Tensor) \
            and not is_reset(m, target, m.span(node)):
        histories.summed(m, current, operand, m.span(node))
    own = method_of(held, in_place_name(node.op)) if type(held) is InstanceV else MISSING
    value = binary(m, node.op, current, operand, node) if own is MISSING else m.call(own, [operand], {}, node)
    if isinstance(held, Tensor) and isinstance(made := plain(value), Tensor):
        lose_elements(m, held)
        value = assume(written_into(held, in_place(m, node, held, made)), assumptions_of(value))
    m.note(node, value)
    assign(m, target, value)
    return NEXT


def _extend(m: Machine, target: ListV, operand: Any) -> None:
    from cudnnlint.interp.iterate import extended

    extended(m, target, operand)


def _repeat(m: Machine, target: ListV, count: Any) -> None:
    """The list itself grows, whoever else holds it."""
    m.heap.touch(target)
    if not target.unknown and isinstance(count, int) and count * len(target.items) <= m.limits.items:
        target.items *= count
    else:
        target.loosen(Unknown("a list repeated an unknown number of times"))


@executes(ast.Delete)
def deletion(m: Machine, node: ast.Delete) -> int:
    for target in node.targets:
        delete(m, target)
    return NEXT


@executes(ast.Return)
def return_(m: Machine, node: ast.Return) -> int:
    m.frames[-1].value = m.eval(node.value) if node.value is not None else None
    return RETURN


@executes(ast.Break)
def break_(m: Machine, node: ast.Break) -> int:
    return BREAK


@executes(ast.Continue)
def continue_(m: Machine, node: ast.Continue) -> int:
    return CONTINUE


@executes(ast.Raise)
def raise_(m: Machine, node: ast.Raise) -> int:
    doubts = m.doubts
    if node.exc is not None:
        m.eval(node.exc)
    if (kind := _of_python(m, node.exc)) is not None:
        m.doubts = max(doubts, m.doubts - 1)  # the error itself is no doubt, though nothing is known of it
        raise RaisedAs(kind)
    raise Raised


def _of_python(m: Machine, error: ast.expr | None) -> type[BaseException] | None:
    """The class of Python's own that is raised, by its own name."""
    named = error.func if isinstance(error, ast.Call) else error
    value = plain(m.eval(named)) if isinstance(named, ast.Name) else None
    if not isinstance(value, External) or not value.path.startswith("builtins."):
        return None
    found = getattr(builtins, value.path.removeprefix("builtins."), None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


CONVERTED = ("Feature.ASSERT_STATEMENTS", "Feature.ALL")
"""What a program says that has AutoGraph convert its assertions too (tensorflow/python/autograph/core/converter.py)."""


@executes(ast.Assert)
def assert_(m: Machine, node: ast.Assert) -> int:
    test = m.eval(asked(node.test))
    if not any(map(m.frame.module.source.says, CONVERTED)):
        test = tested(m, test, node)
    verdict = truth(test)
    if verdict is False and not isinstance(test, Assumed) and not m.frame.control:
        tell_of_assertion(m, node)
        raise Raised
    if not verdict:
        if type(held := plain(test)) is Tensor:
            tell_of_condition(m, held, m.span(node.test))
        m.doubts += 1
    if verdict is None:
        settle(m, node.test, holds=True)
    if verdict is False and isinstance(test, Assumed):
        doubt(m, node.test, test.assumptions)
    return NEXT


@executes(ast.Global)
def global_(m: Machine, node: ast.Global) -> int:
    m.frame.scope.globals_ |= frozenset(node.names)
    return NEXT


@executes(ast.Nonlocal)
def nonlocal_(m: Machine, node: ast.Nonlocal) -> int:
    m.frame.scope.nonlocals |= frozenset(node.names)
    return NEXT


@executes(ast.If)
def if_(m: Machine, node: ast.If) -> int:
    test = tested(m, m.eval(asked(node.test)), node)
    verdict = truth(test)
    if verdict is None and (without := without_arguments(m, node)) is not None:
        test, verdict = without, truth(without)
    if verdict is None:
        condition = plain(test)
        if type(condition) is Tensor:
            tell_of_condition(m, condition, m.span(node.test))
        if suits(m, node, condition):
            condition = Unknown(SUITED)
        code = fork_on(m, node.test, (lambda: run_arm(m, node), lambda: run_arm(m, node, otherwise=True)), condition)
        if m.loops and code == NEXT:
            narrow(m, node)
        return code
    taken, other = (node.body, node.orelse) if verdict else (node.orelse, node.body)
    assumed = assumptions_of(test)
    if not assumed:
        tell_of_raise(m, node.test, taken)
        return run_known_arm(m, node, otherwise=not verdict) if m.loops else m.run_block(taken)
    if only_raises(taken):
        # the default would stop here: then nobody runs with it, and the value is another one
        m.doubts += 1
        doubt(m, node.test, assumed, missing=True)
        return m.run_block(other)
    m.frame.control |= assumed
    note_guarded(m, node, bool(verdict), assumed)
    code = m.run_block(taken)
    rest_on(m, (*taken, *other), assumed)
    return code


@executes(ast.Match)
def match_(m: Machine, node: ast.Match) -> int:
    subject = m.eval(node.subject)
    branches: list[Any] = []
    for case in node.cases:
        found = Match(m, case.pattern, subject)
        verdict, assumed = found.verdict, found.assumed
        if verdict is False:
            continue
        if verdict and case.guard is not None:
            _call_parts(m, found)
            test = m.eval(case.guard)
            verdict, assumed = truth(test), assumed | assumptions_of(test)
        if verdict is False:
            continue
        if verdict and not branches:
            return _taken(m, case, found, assumed)
        branches.append(lambda case=case, found=found: _taken(m, case, found, NONE))
        if verdict:
            break
    else:
        branches.append(lambda: NEXT)
    return branches[0]() if len(branches) == 1 else m.fork(branches)


def _taken(m: Machine, case: ast.match_case, found: Match, assumed: Assumptions) -> int:
    _call_parts(m, found)
    if not assumed:
        return m.run_block(case.body)
    m.frame.control |= assumed
    code = m.run_block(case.body)
    rest_on(m, case.body, assumed)
    return code


def _call_parts(m: Machine, found: Match) -> None:
    """The parts of a value by the names that its pattern gives them."""
    for name, value in found.names.items():
        m.set_item(target_scope(m, name), name, value)
