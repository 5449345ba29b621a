"""Loops: known iterables are unrolled, others run to a widened fixed point."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from cudnnlint.events import INFINITE
from cudnnlint.interp.builtin.special import asked, tested
from cudnnlint.interp.comparison import truth
from cudnnlint.interp.graphs import carried
from cudnnlint.interp.graphs.placeholders import refuse_turns
from cudnnlint.interp.heap import BREAK, NEXT, RETURN, STOP, ListV
from cudnnlint.interp.iterate import in_turn, is_endless, iterator_of, kinds, sample, takes_within
from cudnnlint.interp.keras.parts import model_type
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.loops import turns
from cudnnlint.interp.loops.assumed import Turns
from cudnnlint.interp.loops.following import Watch
from cudnnlint.interp.loops.grown import grown, settle
from cudnnlint.interp.loops.idle import tell_of_no_turns
from cudnnlint.interp.loops.passes import iteration, leave, widened
from cudnnlint.interp.loops.rest import lose, rest
from cudnnlint.interp.machine import Machine, assume, assumptions_of, executes, plain
from cudnnlint.interp.mistakes import left_uncalled
from cudnnlint.interp.mistakes.no_containers import tell_of_no_container
from cudnnlint.interp.mistakes.nothing_used import tell_of_model, tell_of_turns
from cudnnlint.interp.mistakes.one_value import tell_of_condition, tell_of_one_turn
from cudnnlint.interp.names import assign
from cudnnlint.interp.objects import GeneratorV, InstanceV, MethodV, OpenRangeV, RangeV
from cudnnlint.source.walk import walk
from cudnnlint.values import Tensor, Unknown


@executes(ast.For, ast.AsyncFor)
def for_(m: Machine, node: ast.For) -> int:
    iterable = iterator_of(m, m.eval(node.iter))
    if iterable is None:
        tell_of_turns(m, node.iter)
    elif isinstance(iterable, model_type()):
        tell_of_model(m, iterable, node.iter)
    elif type(iterable) is InstanceV:
        tell_of_no_container(m, iterable, node.iter, node.iter, "gone through")
    elif type(iterable) is Tensor:
        tell_of_one_turn(m, iterable, m.span(node.iter))
    elif type(iterable) is MethodV:
        left_uncalled.tell_of_turns(m, iterable, node.iter)
    if m.placeholders:
        refuse_turns(m, iterable, node.iter, rewritten=True)
    if m.tracing:
        carried.entered(m, node, iterable)
    found = takes_within(m, iterable, node.iter, node.body) or in_turn(m, iterable)
    known = None if isinstance(found, Unknown) else len(found)
    if not known:
        tell_of_no_turns(m, node, iterable)
    with turns.loop(m, m.span(node.iter), *_of_body(node.body, *extent(iterable, known))) as entered:
        if entered is not None and isinstance(node.target, ast.Name):
            entered.facts[turns.VARIABLE] = node.target.id
        if entered is not None and getattr(_source(iterable), "padded", None) is not None:
            entered.facts[turns.PADDED] = True
        if isinstance(found, Unknown):
            code = _each_kind(m, node, [turns.varying(kind, entered) for kind in _met(m, node, iterable)])
            if code != NEXT or m.frame.yields is None or not is_endless(iterable) or _leaves(node.body):
                return code
            m.state["endless"] = True
            return STOP
        return _followed(m, node, iterable, found)


def _of_body(body: list[ast.stmt], count: Any, over: str) -> tuple[Any, str]:
    return 1 if ends_at_once(body) else count, over


def _source(iterable: Any) -> Any:
    """What enumerate() or zip() goes through, or the iterable itself."""
    held = plain(iterable)
    while isinstance(held, GeneratorV) and held.over is not None:
        held = held.over
    return held


def extent(iterable: Any, known: int | None) -> tuple[Any, str]:
    """How many turns a loop takes, if that is known, and what it goes through."""
    held = _source(iterable)
    count = known if known is not None else getattr(held, "cardinality", getattr(held, "turns", None))
    if not isinstance(count, int):
        count = Unknown("a loop of unknown length")
    over = "dataset" if hasattr(held, "cardinality") else \
        "range" if isinstance(held, RangeV | OpenRangeV) else "list" if isinstance(held, ListV | tuple) else \
        "rows" if isinstance(held, Tensor) else "items"
    if getattr(held, "cardinality", None) == INFINITE:
        over = ""  # ends when the program says so, like a while loop
    return count, over


def _followed(m: Machine, node: ast.For | ast.AsyncFor, iterable: Any, found: Sequence[Any]) -> int:
    assumed = assumptions_of(iterable)

    def bind(item: Any) -> Any:
        return lambda: assign(m, node.target, assume(item, assumed))

    return _unrolled(m, node, iterable, (bind(item) for item in found), found)


def _met(m: Machine, node: ast.For | ast.AsyncFor, iterable: Any) -> list[Any]:
    """The kinds of elements that the loop meets; one that may end early need not get to the last."""
    found = kinds(m, iterable)
    if len(found) > 1 and isinstance(node.body[-1], ast.Break | ast.Return):
        return found[:1]
    return [found[0], sample(m, iterable)] if len(found) > 1 and _leaves(node.body) else found


def _each_kind(m: Machine, node: ast.For | ast.AsyncFor, found: list[Any]) -> int:
    """Turns on typical elements: all on one kind, then all on the next; batches of the later kinds are some of many."""
    code, outer = NEXT, m.any_batch
    try:
        for element in found:
            orelse = node.orelse if element is found[-1] else []
            code = widened(m, node, orelse, partial(_begin, m, node.target, element))
            m.any_batch = True
            if code != NEXT:
                break
    finally:
        m.any_batch = outer
    return code


def _begin(m: Machine, target: ast.expr, element: Any) -> None:
    assign(m, target, turns.drawn_anew(element))


def _left_over(m: Machine, node: ast.For | ast.AsyncFor, found: list[Any]) -> int:
    """Turns that stand for those that are not followed."""
    outer, m.cut_at = m.cut_at, len(m.conditions) if m.cut_at is None else m.cut_at
    try:
        return _each_kind(m, node, found)
    finally:
        m.cut_at = outer


def _unrolled(m: Machine, node: ast.For | ast.AsyncFor, iterable: Any, bindings: Iterable[Any],
              found: Sequence[Any]) -> int:
    """Iteration by iteration while that builds something; a loop that only trains goes on widened."""
    frame, count, counted = m.frame, len(found), Turns(m, node.body, assumptions_of(iterable))
    mark, watch, length = len(frame.pendings), Watch(m, node, found), _length(iterable)
    code, orelse = NEXT, node.orelse
    m.heap.open()
    try:
        for done, binding in enumerate(bindings):
            counted.follow(m, done)
            followed = None if watch.enough(done) else _turn(m, node, binding, bounded=watch.variants)
            if followed is None:
                m.give_up(f"loop of {count} iterations followed for {done}", m.span(node))
                lists = grown(m, node, done, count)
                lose(m, node, found[done:])
                code = _left_over(m, node, rest(m, node, iterable, found, done))
                orelse = []
                if code == NEXT:
                    settle(m, lists)
                break
            code = followed
            if code in (BREAK, RETURN, STOP):
                break
            if _length(iterable) != length:  # the loop changed the list that it goes through
                code, orelse = _each_kind(m, node, [sample(m, iterable)]), []
                break
        if code in (NEXT, BREAK):
            counted.left(m)
        return leave(m, code, mark, orelse)
    finally:
        m.heap.close(frame.pendings[mark:])


def _length(iterable: Any) -> int | None:
    """Of the list that a loop goes through, itself or by enumerate(); None where it is none, or is not known."""
    held = _source(iterable)
    return len(held.items) if type(held) is ListV and not held.unknown else None


def _turn(m: Machine, node: ast.For | ast.AsyncFor, binding: Callable[[], None], *, bounded: bool) -> int | None:
    """One turn. `bounded`: the one before made a model at length; None, as if not begun, if nothing new comes."""
    if not bounded or m.held is not None:
        binding()
        return iteration(m, node.body)
    frame = m.frame
    mark, state, control = len(frame.pendings), dict(m.state), frame.control
    m.held, m.step_limit = m.step_limit, min(m.step_limit, m.steps + m.limits.again_steps)
    m.heap.open()
    try:
        binding()
        code = iteration(m, node.body)
    except OutOfBounds:
        if m.held is None or m.steps > m.held:
            m.heap.close()
            raise
        m.heap.undo()
        del frame.pendings[mark:]
        m.state, frame.control = state, control
        return None
    except BaseException:
        m.heap.close()
        raise
    finally:
        m.step_limit, m.held = m.step_limit if m.held is None else m.held, None
    m.heap.close(frame.pendings[mark:])
    return code


@executes(ast.While)
def while_(m: Machine, node: ast.While) -> int:
    count = 1 if ends_at_once(node.body) else Unknown("a loop of unknown length")
    with turns.loop(m, m.span(node.test), count, ""):
        return _while(m, node)


def _while(m: Machine, node: ast.While) -> int:
    frame = m.frame
    mark = len(frame.pendings)
    m.heap.open()
    try:
        steps, built = m.steps, m.created + len(m.visited)
        for done in range(m.limits.unroll):
            if done >= m.limits.unroll_least and m.steps - steps > m.limits.unroll_idle_steps \
                    and m.created + len(m.visited) == built:
                m.give_up(f"loop that makes no layers followed for {done} turns", m.span(node))
                break
            test = tested(m, m.eval(asked(node.test)), node)
            if m.tracing and not done:
                carried.entered(m, node, test)
            verdict = truth(test)
            if verdict is None:
                if type(held := plain(test)) is Tensor:
                    tell_of_condition(m, held, m.span(node.test))
                break
            if not verdict:
                return leave(m, NEXT, mark, node.orelse)
            frame.control |= assumptions_of(test)
            if _yields_forever(m, node, test):
                if iteration(m, node.body) == NEXT:  # then once more, for what any later iteration yields
                    widened(m, node, [], lambda: None)
                m.state["endless"] = True
                return STOP
            code = iteration(m, node.body)
            if code in (BREAK, RETURN, STOP):
                return leave(m, code, mark, [])
            if len(frame.pendings) > mark + (0 if _constant_true(node.test) else 8):
                break  # it may end at any iteration: widen instead of following each
        if not _constant_true(node.test):
            m.tests_unknown()
        code = widened(m, node, node.orelse, lambda: m.eval(node.test))
        return leave(m, code, mark, []) if code in (NEXT, STOP) else code
    finally:
        m.heap.close(frame.pendings[mark:])


def _constant_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _yields_forever(m: Machine, node: ast.While, test: Any) -> bool:
    """`while True:` in a generator without break or return: it never ends."""
    if m.frame.yields is None or not _constant_true(node.test):
        return False
    return not _leaves(node.body)


def ends_at_once(body: Sequence[ast.stmt]) -> bool:
    """Whether a loop is left at the end of its first turn, whatever happens: tries until one succeeds, say."""
    last = body[-1]
    if isinstance(last, ast.Try):
        return ends_at_once([*last.body, *last.orelse])
    if isinstance(last, ast.With):
        return ends_at_once(last.body)
    return isinstance(last, ast.Break | ast.Return | ast.Raise) and not any(
        isinstance(inner, ast.Continue) for statement in body for inner in walk(statement))


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a loop body may end its own loop or the function."""
    for statement in body:
        if isinstance(statement, (ast.Break, ast.Return, ast.Raise)):
            return True
        nested = [block for name in ("body", "orelse", "finalbody") if (block := getattr(statement, name, None))]
        nested += [part.body for name in ("handlers", "cases") for part in getattr(statement, name, ())]
        if isinstance(statement, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef)):
            if any(isinstance(inner, ast.Return) for inner in walk(statement)):
                return True
        elif any(_leaves(block) for block in nested if isinstance(block, list)):
            return True
    return False
