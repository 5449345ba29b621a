"""Small programs followed end to end: the events they cause and what their names are bound to."""

from __future__ import annotations

import textwrap
from typing import Any, TypeVar

from cudnnlint.engine import registry
from cudnnlint.events import Crashed, Event
from cudnnlint.interp import analyse
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import ModuleV, Scope
from cudnnlint.interp.project import Project, run_module
from cudnnlint.source import Source
from cudnnlint.values import Stack

E = TypeVar("E", bound=Event)
PATH = "program.py"


def events_of(text: str, stack: Stack | None = None) -> list[Event]:
    """Every event of a program, in order; a crash of ours fails the test."""
    registry.load()
    seen: list[Event] = []
    analyse(Source.from_text(PATH, textwrap.dedent(text)), stack=stack or Stack(), emit=seen.append)
    crashes = {f"{event.where}: {event.error}" for event in seen if isinstance(event, Crashed)}
    assert not crashes, crashes
    return seen


def of_kind(events: list[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def names_of(text: str, stack: Stack | None = None) -> dict[str, Any]:
    """What the names of a program are bound to in the end."""
    import cudnnlint.interp.run  # noqa: F401 - fills the dispatch tables

    registry.load()
    seen: list[Event] = []
    source = Source.from_text(PATH, textwrap.dedent(text))
    m = Machine(stack=stack or Stack(), emit=seen.append, linted=PATH)
    m.project = Project(PATH, ())
    module = ModuleV("__main__", PATH, Scope(None, "module"), source)
    run_module(m, module, source.tree())
    crashes = {f"{event.where}: {event.error}" for event in seen if isinstance(event, Crashed)}
    assert not crashes, crashes
    return dict(module.scope.items)
