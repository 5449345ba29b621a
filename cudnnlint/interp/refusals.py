"""Tells of what fails: on the stack at hand, or on an older one that the program may run on as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.events import Rejected, RejectedBefore
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.telling import TURNS
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Where


def refuse(m: Machine, span: Span, mismatch: Mismatch, **fields: Any) -> bool:
    """Whether it fails on the stack at hand; `fields` are those of a Rejected."""
    if mismatch.where.holds(m.stack):
        m.say(Rejected, span, mismatch=mismatch, **fields)
        return True
    older = next((stack for stack in m.stack.before if mismatch.where.holds(stack)), None)
    if older is not None:
        rejected = m.event(Rejected, span, mismatch=mismatch, **fields)
        m.say(RejectedBefore, span, mismatch=mismatch, rejected=replace(rejected, stack=older))
    return False


def is_certain(m: Machine) -> bool:
    """Whether the program certainly comes here, by no way that others may have left before, and nothing is ready for
    an error. What a default decides is certain with that default, which the event names."""
    return not (m.uncalled or m.uncertain or m.trying or m.handlers or m.expecting
                or any(frame.pendings for frame in m.frames))


def is_meant(m: Machine) -> bool:
    """Whether the program comes here, but for loops that may have no turns: a branch may be there for a version."""
    return not m.trying and all(reason == TURNS for reason in m.conditions)


def told_once(m: Machine, kind: str, where: Where, span: Span) -> bool:
    """Whether something of this kind was told of elsewhere, of a program that may be for versions which take it: one
    that names none is told once what the newest refuses, not at every place."""
    return not all(where.holds(older) for older in m.stack.before) and told_elsewhere(m, kind, span)


def told_elsewhere(m: Machine, kind: str, span: Span) -> bool:
    """Whether the file was told of something of this kind before, at another place."""
    told: dict[Any, Any] = m.notes.setdefault("told elsewhere", {})
    return bool(told.setdefault((kind, span.path), span) != span)


def of_line(here: Span, other: Span) -> str:
    """Where something else was made, for a message at `here`: ` of line 12`; "" in a notebook, whose lines are counted
    by cell, and of another file."""
    return f" of line {other.line}" if other.path == here.path and not other.path.endswith(".ipynb") else ""
