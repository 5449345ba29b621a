"""What a rule says about the program: frozen, picklable data, free of syntax nodes."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from cudnnlint.source import Span


class Level(enum.Enum):
    """How bad: an ERROR stops the run on some stack, a WARNING is silently wrong, INFO is advice."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Applicability(enum.Enum):
    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


@dataclass(frozen=True, slots=True)
class Label:
    """A secondary span: one step of the provenance, with what is known there (`float32[B, 3, 3, 3]`)."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """A fix as data: its title and edits."""

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability = Applicability.DISPLAY


@dataclass(frozen=True, slots=True)
class Claim:
    """What a run could refute: rebuild `layer` with `arguments` on inputs of these shapes and expect a failure."""

    kind: str
    facts: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule's verdict at `span`. `rule`, `code` and `level` are filled in by the engine.

    message      one line, lower case, no full stop, numbers from the user's code
    fails        on which stack and how: 'everywhere, when the model is built: ValueError "..."'
    help         the remedy
    trace        provenance, oldest first
    calls        the call path that led here, outermost first
    assumptions  defaults that the numbers rest on, as text
    """

    span: Span
    message: str
    fails: str = ""
    help: str = ""
    trace: tuple[Label, ...] = ()
    calls: tuple[Span, ...] = ()
    assumptions: tuple[str, ...] = ()
    fix: Recipe | None = None
    claim: Claim | None = None
    rule: str = ""
    code: str = ""
    level: Level = Level.ERROR
