"""Loops: known iterables are unrolled, others run to a widened fixed point."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from cudnnlint.events import INFINITE
from cudnnlint.interp import turns
from cudnnlint.interp.comparison import truth
from cudnnlint.interp.heap import BREAK, CONTINUE, NEXT, RETURN, STOP, DictV, ListV, Pending, TableV
from cudnnlint.interp.iterate import elements, kinds, sample
from cudnnlint.interp.join import is_number
from cudnnlint.interp.layers import ObjectV
from cudnnlint.interp.machine import Machine, assume, assumptions_of, executes, plain
from cudnnlint.interp.names import assign
from cudnnlint.interp.objects import GeneratorV, OpenRangeV, RangeV, Scope
from cudnnlint.values import Unknown


@executes(ast.For, ast.AsyncFor)
def for_(m: Machine, node: ast.For) -> int:
    iterable = m.eval(node.iter)
    found = elements(m, iterable)
    known = None if isinstance(found, Unknown) else len(found)
    with turns.loop(m, m.span(node.iter), *_of_body(node.body, *extent(iterable, known))) as entered:
        if entered is not None and getattr(_source(iterable), "padded", None) is not None:
            entered.facts[turns.PADDED] = True
        if isinstance(found, Unknown):
            return _each_kind(m, node, [turns.varying(kind, entered) for kind in _met(m, node, iterable)])
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
        "range" if isinstance(held, RangeV | OpenRangeV) else "items"
    if getattr(held, "cardinality", None) == INFINITE:
        over = ""  # ends when the program says so, like a while loop
    return count, over


def _followed(m: Machine, node: ast.For | ast.AsyncFor, iterable: Any, found: Sequence[Any]) -> int:
    assumed = assumptions_of(iterable)

    def bind(item: Any) -> Any:
        return lambda: assign(m, node.target, assume(item, assumed))

    return _unrolled(m, node, (bind(item) for item in found), len(found))


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
            code = _widened(m, node.body, orelse, partial(assign, m, node.target, element))
            m.any_batch = True
            if code != NEXT:
                break
    finally:
        m.any_batch = outer
    return code


def _unrolled(m: Machine, node: ast.For | ast.AsyncFor, bindings: Iterable[Any], count: int) -> int:
    """Iteration by iteration while that builds something; a loop that only trains goes on widened."""
    frame = m.frame
    mark, watch = len(frame.pendings), _Watch(m, node, count)
    code, orelse = NEXT, node.orelse
    m.heap.open()
    try:
        for done, binding in enumerate(bindings):
            if watch.enough(done):
                m.give_up(f"loop of {count} iterations followed for {done}", m.span(node))
                code = _widened(m, node.body, orelse, lambda: assign(m, node.target, _any_of(m, node)))
                orelse = []
                break
            binding()
            code = _iteration(m, node.body)
            if code in (BREAK, RETURN, STOP):
                break
        return _leave(m, code, mark, orelse)
    finally:
        m.heap.close(frame.pendings[mark:])


def _any_of(m: Machine, node: ast.For | ast.AsyncFor) -> Unknown:
    """What a loop binds its variable to once the turns are not told apart any more."""
    number = isinstance(node.target, ast.Name) and is_number(plain(m.frame.scope.items.get(node.target.id)))
    return Unknown("loop variable", number=number, loop=m.loops[-1] if number and m.loops else None)


class _Watch:
    """Decides when following a loop iteration by iteration tells nothing more.

    Loops that create layers, or apply one after the other, are followed to the end (within limits); others for a few
    iterations, and as long as they are short and cheap: what they change beyond is unknown.
    """

    __slots__ = ("built", "count", "last", "m", "node", "seen", "sites", "steps")

    def __init__(self, m: Machine, node: ast.For | ast.AsyncFor, count: int) -> None:
        self.m, self.node, self.count = m, node, count
        self.steps, self.built = m.steps, m.created + len(m.visited)
        self.seen: Any = None
        self.last, self.sites = m.steps, len(m.sites)

    def enough(self, done: int) -> bool:
        m, limits = self.m, self.m.limits
        steps = m.steps - self.steps
        if done and len(m.sites) == self.sites and m.steps - self.last > limits.again_turn:
            return True
        self.last, self.sites = m.steps, len(m.sites)
        if m.created + len(m.visited) > self.built:
            return done >= limits.unroll_building and steps > limits.unroll_steps
        if done < limits.unroll_least or self.count <= 2 * limits.unroll_least:
            if done == limits.unroll_least - 1:
                self.seen = _standing(m, self.node)
            return done > limits.unroll_least and steps > limits.unroll_idle_steps
        if done == limits.unroll_least and steps * self.count > done * limits.unroll_cheap and (
                self.count > limits.unroll_idle or _alike(self.seen, _standing(m, self.node), 6)):
            return True
        return steps > limits.unroll_idle_steps


def _standing(m: Machine, node: ast.For | ast.AsyncFor) -> Any:
    """What the loop has changed so far, its own variable aside."""
    targets = {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
    states: list[Any] = []
    for obj, _ in m.heap.journals[-1].values():
        state = obj.snapshot()
        if isinstance(obj, Scope):
            state = ({key: value for key, value in state[0].items() if key not in targets}, state[1])
        states.append(state)
    return states


def _alike(a: Any, b: Any, depth: int) -> bool:
    """Equal up to the identity of objects made anew in each iteration."""
    if a is b or a == b:
        return True
    if type(a) is not type(b) or depth == 0:
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(_alike(x, y, depth - 1) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_alike(value, b[key], depth - 1) for key, value in a.items())
    if isinstance(a, (ListV, DictV)):
        return _alike(a.items, b.items, depth - 1)
    return getattr(a, "path", None) == getattr(b, "path", 0) and isinstance(a, ObjectV)


def _iteration(m: Machine, body: list[ast.stmt]) -> int:
    """One pass over the body; paths that `continue` meet the end of it."""
    frame = m.frame
    mark = len(frame.pendings)
    turns.turn(m)
    m.heap.open()
    try:
        code = m.run_block(body)
        continued = [pending for pending in frame.pendings[mark:] if pending.kind == CONTINUE]
        if continued:
            m.heap.resolve(continued, code in (NEXT, CONTINUE))
            frame.pendings[mark:] = [pending for pending in frame.pendings[mark:] if pending.kind != CONTINUE]
            if code == STOP:
                code = NEXT
    finally:
        m.heap.close(frame.pendings[mark:])
    return NEXT if code == CONTINUE else code


def _leave(m: Machine, code: int, mark: int, orelse: list[ast.stmt]) -> int:
    """Join the paths that broke out with the one that ended the loop."""
    frame = m.frame
    if code == NEXT and orelse:
        code = m.run_block(orelse)
    broken = [pending for pending in frame.pendings[mark:] if pending.kind == BREAK]
    if broken:
        if code == RETURN:
            frame.pendings.append(Pending(RETURN, frame.value, _now(m)))
            code = STOP
        m.heap.resolve(broken, code in (NEXT, BREAK))
        frame.pendings[mark:] = [pending for pending in frame.pendings[mark:] if pending.kind != BREAK]
        return NEXT
    return NEXT if code == BREAK else code


def _now(m: Machine) -> Any:
    journal = m.heap.journals[-1] if m.heap.journals else {}
    return {key: (obj, obj.snapshot()) for key, (obj, _) in journal.items()}


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
        for _ in range(m.limits.unroll):
            test = m.eval(node.test)
            verdict = truth(test)
            if verdict is None:
                break
            if not verdict:
                return _leave(m, NEXT, mark, node.orelse)
            frame.control |= assumptions_of(test)
            if _yields_forever(m, node, test):
                if _iteration(m, node.body) == NEXT:  # then once more, for what any later iteration yields
                    _widened(m, node.body, [], lambda: None)
                m.state["endless"] = True
                return STOP
            code = _iteration(m, node.body)
            if code in (BREAK, RETURN, STOP):
                return _leave(m, code, mark, [])
            if len(frame.pendings) > mark + (0 if _constant_true(node.test) else 8):
                break  # it may end at any iteration: widen instead of following each
        code = _widened(m, node.body, node.orelse, lambda: m.eval(node.test))
        return _leave(m, code, mark, []) if code in (NEXT, STOP) else code
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
        isinstance(inner, ast.Continue) for statement in body for inner in ast.walk(statement))


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a loop body may end its own loop or the function."""
    for statement in body:
        if isinstance(statement, (ast.Break, ast.Return, ast.Raise)):
            return True
        nested = [block for name in ("body", "orelse", "finalbody") if (block := getattr(statement, name, None))]
        nested += [part.body for name in ("handlers", "cases") for part in getattr(statement, name, ())]
        if isinstance(statement, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef)):
            if any(isinstance(inner, ast.Return) for inner in ast.walk(statement)):
                return True
        elif any(_leaves(block) for block in nested if isinstance(block, list)):
            return True
    return False


def _widened(m: Machine, body: list[ast.stmt], orelse: list[ast.stmt], bind: Any) -> int:
    """Run the body until what it changes no longer changes what is known: each pass joins with the state before."""
    frame = m.frame
    mark = len(frame.pendings)
    m.heap.open()
    try:
        for _ in range(m.limits.passes):
            before = m.steps
            changed = _pass(m, body, bind)
            if not (changed or turns.undecided(m)) or m.steps == before:
                break
        else:
            _forget_changes(m)
        return _leave(m, NEXT, mark, orelse)
    finally:
        m.heap.close(frame.pendings[mark:])


def _pass(m: Machine, body: list[ast.stmt], bind: Any) -> bool:
    """One joined iteration: True if it changed the state."""

    counted: set[tuple[int, Any]] = set()

    def iterate() -> int:
        bind()
        code = _iteration(m, body)
        counted.update(_counted(m.heap.journals[-1]))
        return code

    mark = len(m.frame.pendings)
    m.heap.open()
    try:
        m.fork([lambda: NEXT, iterate])
        journal = m.heap.journals[-1]
        _vary(m, journal, counted)
        return any(_told_anew(obj, state) for obj, state in journal.values())
    finally:
        m.heap.close(m.frame.pendings[mark:])


def _counted(journal: dict[int, tuple[Any, Any]]) -> Iterator[tuple[int, Any]]:
    """Variables and attributes that were one number before a turn and are another one after it, whatever happens."""
    for key, (obj, state) in journal.items():
        if isinstance(obj, TableV):
            for name, former in state[0].items():
                now, old = plain(obj.items.get(name)), plain(former)
                changes = now is not old and now.loop is not None if isinstance(now, Unknown) else now != old
                if is_number(old) and is_number(now) and changes:
                    yield key, name


def _vary(m: Machine, journal: dict[int, tuple[Any, Any]], counted: set[tuple[int, Any]]) -> None:
    """What a turn counts on is another number in each."""
    if not m.loops or turns.in_graph(m):
        return
    for key, name in counted:
        obj = journal[key][0] if key in journal else None
        if obj is not None and isinstance(obj.items.get(name), Unknown):
            obj.items[name] = Unknown("changes in a loop", number=True, loop=m.loops[-1])


def _told_anew(obj: Any, state: Any) -> bool:
    """Whether an object differs from what it was; a variable that only the loop sets was unknown before, too."""
    now = obj.snapshot()
    if isinstance(obj, Scope):
        bound = {key: value for key, value in now[0].items() if key in state[0] or not isinstance(value, Unknown)}
        return bool((bound, now[1]) != state)
    return bool(now != state)


def _forget_changes(m: Machine) -> None:
    """What still changes after the last pass is unknown: plain values become Unknown, objects stay."""
    for obj, state in list(m.heap.journals[-1].values()):
        if isinstance(obj, TableV):
            items, old = obj.items, state[0]
            for key, value in list(items.items()):
                if key in old and old[key] is not value and not isinstance(value, Unknown) and old[key] != value:
                    items[key] = Unknown("changes in a loop")
