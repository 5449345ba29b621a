"""A user's function called: its body is followed with its arguments bound."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from cudnnlint.interp.binding import STAR
from cudnnlint.interp.frames import Frame
from cudnnlint.interp.graphs.tracing import tracing
from cudnnlint.interp.heap import NEXT, RETURN, STOP, ListV, Pending, Raised, YieldsV
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.mistakes.nothing import note_given, note_nothing
from cudnnlint.interp.objects import FAILED, FunctionV, GeneratorV, InstanceV, Scope
from cudnnlint.interp.own_functions import is_generator
from cudnnlint.interp.parameters import bind_user
from cudnnlint.interp.registry import Call
from cudnnlint.interp.remembered import calls_itself, is_of_numbers, once, remembered
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import NONE

ENTERED = "entered"
"""Note of the instances of which the program entered, itself or through Keras, what tells their inputs, by id."""
TELLING = frozenset({"call", "train_step", "test_step", "predict_step"})


def call_function(m: Machine, c: Call, function: FunctionV) -> Any:
    """Inline a user's function."""
    node = function.node
    if m.recording is not None:
        m.recording.called.add(id(node))
    if id(node) not in m.called:
        m.called.add(id(node))
        if function.defaults or function.kw_defaults:
            _note_given(m, c, function)
        if m.calls:  # not a root itself
            m.novel(layer=False)
    if len(m.frames) > m.limits.depth:
        return _cut(c, function, m.give_up("call depth", c.span))
    active = m.active.get(node)
    if active:
        if function.owner is not None and _goes_down(c, active):
            active = []
        endless = active and m.uncertain > active[-1].uncertain  # nothing known would end it
        if endless or (len(active) > m.limits.recursion and not is_of_numbers(function, c)):
            return _cut(c, function, m.give_up(f"recursion of {function.name}", c.span))
    if hasattr(node, "cudnnlint_manager"):
        from cudnnlint.interp.managers import context

        return context(m, c, function, partial(bind_user, m, function, c))
    if hasattr(node, "cudnnlint_cached"):
        return once(m, c, function, partial(_followed, m, c, function))
    if calls_itself(m, node, again=bool(active)) and function.traced is None:
        return remembered(m, c, function, partial(_followed, m, c, function))
    return _followed(m, c, function)


def _note_given(m: Machine, c: Call, function: FunctionV) -> None:
    """Which parameters a call of a function of another file gives: what follows of their defaults comes to nothing."""
    path = getattr(function.module.source, "path", m.linted)
    if path != m.linted:
        arguments = function.node.args
        names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
        given = names if STAR in c.kwargs else (*names[:len(c.args)], *c.kwargs)
        m.project.shared.given.setdefault((path, function.node.lineno), frozenset(given))


def _cut(c: Call, function: FunctionV, why: Unknown) -> Unknown:
    """Nothing is known of an object whose constructor is not entered, nor of one whose constructor fails."""
    made = c.args[0] if function.name == "__init__" and c.args else None
    if isinstance(made, InstanceV):
        c.machine.heap.touch(made)
        made.unknown = made.unknown or why
    return why


def _followed(m: Machine, c: Call, function: FunctionV) -> Any:
    """Through the body, in a scope of its own."""
    m.heap.open()
    try:  # a scope that is born under the journal is no one else's, and need not be kept for other paths
        scope = Scope(function.scope, "function")
        if not bind_user(m, function, c, scope):
            return _cut(c, function, FAILED)
        for arg in c.args:
            if arg is None:
                note_given(m, function, scope, c)
                break
        if function.traced is None:
            return run_function(m, function, scope, c)
        with tracing(m, function, scope, c):
            return run_function(m, function, scope, c)
    finally:
        m.heap.close()


def _goes_down(c: Call, active: list[Frame]) -> bool:
    """Whether a method is called on an object that was there before and is not at work: a walk down what is nested."""
    receiver = plain(c.args[0]) if c.args else None
    return isinstance(receiver, InstanceV) and receiver.born < active[0].scope.born \
        and all(frame.receiver is not receiver for frame in active)


def run_function(m: Machine, function: FunctionV, scope: Scope, c: Call) -> Any:
    """Follow the body with its arguments bound, under a journal of its own."""
    caller = m.frames[-1] if m.frames else None
    outer = caller.control if caller is not None else NONE
    pushed = caller is not None and caller.module.source is not None and hasattr(c.node, "lineno")
    if pushed:
        m.calls.append(m.span(c.node))
    frame = Frame(scope, function.module, function, outer)
    frame.call = c
    frame.receiver = plain(c.args[0]) if function.owner is not None and c.args else None
    if function.name in TELLING and not m.uncalled:
        m.notes.setdefault(ENTERED, {})[id(frame.receiver)] = True
    frame.uncertain = m.uncertain
    node = function.node
    if type(node) is not ast.Lambda and is_generator(node, function.module.source):
        frame.yields = YieldsV()
        frame.yields.born = 0  # older than any journal: a path that returned early has yielded less
    active = m.active.setdefault(node, [])
    active.append(frame)
    m.frames.append(frame)
    try:
        value = _run_body(m, function, frame)
    finally:
        m.frames.pop()
        active.pop()
        if pushed:
            m.calls.pop()
    if value is None:
        note_nothing(m, function, scope, c.node)
    if hasattr(node, "cudnnlint_gradient"):
        value = _without_gradient(value)
    if frame.yields is not None:
        return _generator(m, frame.yields, never_ends=value is True)
    return assume(value, frame.control - outer) if frame.control is not outer else value


def _without_gradient(value: Any) -> Any:
    """Of what a function with a gradient of its own returns, what its callers get."""
    held = plain(value)
    return held[0] if isinstance(held, tuple) and len(held) == 2 else Unknown("a function with a gradient of its own")


def _generator(m: Machine, yields: ListV, *, never_ends: bool) -> GeneratorV:
    """The generator object of a body that was followed to its end, or into a loop without one."""
    endless = bool(m.state.pop("endless", False))
    if endless and not never_ends:  # on some paths only
        yields.unknown = yields.unknown or Unknown("a generator that may not end")
    return GeneratorV(yields, not endless and yields.unknown is None, infinite=endless and never_ends)


def _run_body(m: Machine, function: FunctionV, frame: Frame) -> Any:
    node = function.node
    if isinstance(node, ast.Lambda):
        return m.eval(node.body)
    code = _to_the_end(m, node.body, frame)
    if not frame.pendings and frame.yields is None:  # one path
        if code == STOP:
            raise Raised(function.name)
        return frame.value if code == RETURN else None if code == NEXT else Unknown("no path returns")
    pendings: list[Pending] = [p for p in frame.pendings if p.kind == RETURN]
    values: list[Any] = []
    if code == RETURN:
        values.append(frame.value)
    elif code == NEXT:
        values.append(None)
    m.heap.resolve(pendings, code in (NEXT, RETURN))
    if frame.yields is not None:
        return code == STOP and not pendings
    values += [pending.value for pending in pendings]
    if not values:
        if code == STOP:
            raise Raised(function.name)
        return Unknown("no path returns")
    return m.heap.meeting(frame.scope.born).value(values)


def _to_the_end(m: Machine, body: list[ast.stmt], frame: Frame) -> int:
    """Run a body; where the path to its end raises, others may have returned before."""
    try:
        return m.run_block(body)
    except Raised:
        if not any(pending.kind == RETURN for pending in frame.pendings):
            raise
        m.doubts += 1
        return STOP
