"""What happened to the analysis itself."""

from __future__ import annotations

from cudnnlint.events.base import Event
from cudnnlint.records import record


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BoundHit(Event):
    """The analysis gave up on a part: what, for `--verbose`.

    cut  whether that is the rest of a file, a module or a function: what would have come there is not known at all
    """

    what: str
    cut: bool = False


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Crashed(Event):
    """Our own op or handler raised; becomes CUD900."""

    where: str
    error: str


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SourceBroken(Event):
    """A file, or a notebook's cell, cannot be read as Python; becomes CUD901, or CUD902 where none of it was seen."""

    message: str
    unread: bool = False


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModuleFinished(Event):
    path: str
    steps: int = 0
