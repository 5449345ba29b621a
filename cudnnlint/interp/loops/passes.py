"""The turns of a loop: one of them, or all at once, until they change nothing any more."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cudnnlint.interp.graphs import carried
from cudnnlint.interp.heap import BREAK, CONTINUE, NEXT, RETURN, STOP, Delta, ListV, Pending, Raised, TableV
from cudnnlint.interp.join import ChoiceV, is_number, unlike
from cudnnlint.interp.lists import YieldsV
from cudnnlint.interp.loops import turns
from cudnnlint.interp.loops.unread import AnyLoop, unread
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV, Scope
from cudnnlint.interp.telling import TURNS
from cudnnlint.values import Unknown


def iteration(m: Machine, body: list[ast.stmt]) -> int:
    """One pass over the body; paths that `continue` meet the end of it."""
    frame = m.frame
    mark = len(frame.pendings)
    turns.turn(m)
    m.heap.open()
    try:
        code = _body(m, body, mark)
        if m.tracing:
            carried.turned(m, body)
        continued = [pending for pending in frame.pendings[mark:] if pending.kind == CONTINUE]
        if continued:
            m.heap.resolve(continued, code in (NEXT, CONTINUE), turns=True)
            frame.pendings[mark:] = [pending for pending in frame.pendings[mark:] if pending.kind != CONTINUE]
            if code == STOP:
                code = NEXT
    finally:
        m.heap.close(frame.pendings[mark:])
    return NEXT if code == CONTINUE else code


def _body(m: Machine, body: list[ast.stmt], mark: int) -> int:
    """Run it; where its end raises, paths may have left the turn before."""
    try:
        return m.run_block(body)
    except Raised:
        if len(m.frame.pendings) == mark:
            raise
        m.doubts += 1
        return STOP


def leave(m: Machine, code: int, mark: int, orelse: list[ast.stmt]) -> int:
    """Join the paths that broke out with the one that ended the loop."""
    frame = m.frame
    if code == NEXT and orelse:
        code = m.run_block(orelse)
    broken = [pending for pending in frame.pendings[mark:] if pending.kind == BREAK]
    if broken:
        if code == RETURN:
            frame.pendings.append(Pending(RETURN, frame.value, _now(m)))
            code = STOP
        m.heap.resolve(broken, code in (NEXT, BREAK), turns=True)
        frame.pendings[mark:] = [pending for pending in frame.pendings[mark:] if pending.kind != BREAK]
        return NEXT
    return NEXT if code == BREAK else code


def _now(m: Machine) -> Any:
    journal = m.heap.journals[-1] if m.heap.journals else {}
    return {key: (obj, obj.snapshot()) for key, (obj, _) in journal.items()}


def widened(m: Machine, loop: AnyLoop, orelse: list[ast.stmt], bind: Any) -> int:
    """Run the body until what it changes no longer changes what is known: each pass joins with the state before."""
    frame = m.frame
    mark = len(frame.pendings)
    m.heap.open()
    try:
        for _ in range(m.limits.passes):
            before = m.steps
            changed, again = _pass(m, loop, bind)
            if not (changed or (again and turns.undecided(m))) or m.steps == before:
                break
        else:
            _forget_changes(m)
        return leave(m, NEXT, mark, orelse)
    finally:
        m.heap.close(frame.pendings[mark:])


def _pass(m: Machine, loop: AnyLoop, bind: Any) -> tuple[bool, bool]:
    """One joined iteration: whether it changed the state, and whether another turn may follow it."""

    counted: set[tuple[int, Any]] = set()
    ends: list[int] = []

    def iterate() -> int:
        bind()
        code = iteration(m, loop.body)
        ends.append(code)
        counted.update(_counted(m.heap.journals[-1]))
        return code

    mark = len(m.frame.pendings)
    m.heap.open()
    try:
        m.fork([lambda: NEXT, iterate], Unknown(TURNS))
        journal = m.heap.journals[-1]
        _vary(m, journal, counted)
        return _tells_anew(m, journal, loop), NEXT in ends
    finally:
        m.heap.close(m.frame.pendings[mark:])


def _counted(journal: dict[int, tuple[Any, Any]]) -> Iterator[tuple[int, Any]]:
    """Variables and attributes that were one number before a turn and are another one after it, whatever happens."""
    for key, (obj, state) in journal.items():
        if isinstance(obj, TableV):
            for name in unlike(state[0], obj.items):
                now, old = plain(obj.items.get(name)), plain(state[0][name])
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


def _tells_anew(m: Machine, journal: Delta, loop: AnyLoop) -> bool:
    """Whether a turn changed anything that another one reads."""
    changed = [(obj, state) for obj, state in journal.values()
               if type(obj) is not YieldsV and _told_anew(obj, state, frozenset())]
    if not changed:
        return False
    frame = m.frame
    around = frame.function.node if frame.function is not None else frame.module.source.tree()
    left, scope = unread(loop, around), frame.scope
    held = left.held(scope)
    return any(obj is not scope or _told_anew(obj, state, left.bound, left.counted) for obj, state in changed
               if not any(obj is one for one in held))


def _told_anew(obj: Any, state: Any, unread: frozenset[str], counted: frozenset[str] = frozenset()) -> bool:
    """Whether an object differs from what it was; a variable that only the loop sets was unknown before, too."""
    now = obj.snapshot()
    if isinstance(obj, Scope):
        bound = {key: value for key, value in now[0].items() if key in state[0] or not isinstance(value, Unknown)}
        return bool((bound, now[1]) != state) and (now[1] != state[1] or bound.keys() != state[0].keys() or any(
            value != state[0][key] and key not in unread and not _is_one_more(value, state[0][key])
            and not (key in counted and is_number(state[0][key]) and type(value) is Unknown and value.number)
            for key, value in bound.items()))
    return bool(now != state)


def _is_one_more(value: Any, before: Any) -> bool:
    """Whether a turn made one more object of the classes of which a variable may hold one: it stands for those of any
    turn, like the last one before it."""
    return isinstance(value, ChoiceV) and isinstance(before, ChoiceV) \
        and {_class_of(one) for one in value.options} == {_class_of(one) for one in before.options}


def _class_of(option: Any) -> Any:
    return option.cls if isinstance(option, InstanceV) else id(option)


def _forget_changes(m: Machine) -> None:
    """What still changes after the last pass is unknown: plain values become Unknown, objects stay."""
    for obj, state in list(m.heap.journals[-1].values()):
        if isinstance(obj, TableV):
            items, old = obj.items, state[0]
            for key, value in list(items.items()):
                if key in old and old[key] is not value and not isinstance(value, Unknown) and old[key] != value:
                    items[key] = Unknown("changes in a loop")
        elif isinstance(obj, ListV) and obj.snapshot() != state:
            obj.unknown = Unknown("changes in a loop")
