"""What an analysis tells: events about the place that is reached, unless the program may not come there."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from cudnnlint.events import BoundHit, Crashed, Event, Rejected, RejectedBefore
from cudnnlint.interp.frames import Frame
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Stack, Unknown
from cudnnlint.values.assumption import NONE, Assumptions

CALLERS_FORMAT = "the image_data_format of the caller"
"""Why it is not known: others of the module are made for channels in front."""
LOST = ("argument ", "differs between paths", "list differs between paths", "not set on every path",
        "call of something unknown", "an element of an unknown value", "loop variable", "changes in a loop", "rank",
        "is_tensor", "an array or a tensor", "hasattr of something known", "isinstance of an unknown value",
        "attribute of ", "type of something known", "max or min of a number", "a value that may be known in a graph",
        CALLERS_FORMAT)
"""How the reasons of unknown values begin that stand for one of several known ones, or of a known range."""
SET_ELSEWHERE = "which other methods set"
"""How the reason ends of an attribute that says what an object holds: which of them goes with these data?"""
TURNS = "how many turns a loop takes"
"""Why it is not known whether a loop's body is run at all."""
CHOSEN = "one of a few callables"
"""Why it is not known which path is taken where one of several values is called."""
REFUSALS = (Rejected, RejectedBefore)
ANY_ERROR = frozenset({"TypeError", "ValueError", "InvalidArgumentError", "RuntimeError"})
"""What a refusal may be of which no error is on record."""


class Telling:
    """Where an analysis is and whom it tells: `emit` receives every event; `linted` is the path of the file."""

    __slots__ = ("calls", "caught", "conditions", "cut_at", "cut_off", "emit", "expecting", "frames", "guarded",
                 "linted", "stack", "uncalled")

    def __init__(self, stack: Stack, emit: Callable[[Event], object], linted: str) -> None:
        self.stack, self.emit, self.linted = stack, emit, linted
        self.guarded: frozenset[str] = frozenset()
        """Assumptions under which the program would not come here: what rests on them is not told."""
        self.frames: list[Frame] = []
        self.calls: list[Span] = []
        """Of each function under way, the call."""
        self.caught: list[frozenset[str]] = []
        """Of each open try, the exceptions that its handlers ask for by name."""
        self.conditions: list[str] = []
        """Of each open fork, why it is not known which way the program goes."""
        self.cut_at: int | None = None
        """Within what is left of a loop that is not followed to its end: how many conditions were open there."""
        self.cut_off: frozenset[str] = frozenset()
        """Functions and classes that code may call which was not followed to its end: nothing is assumed of them."""
        self.expecting = 0
        """Open `with pytest.raises(...)` and the like: what fails under them is meant to."""
        self.uncalled = False
        """Whether what is followed is called by nothing in the program."""

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def span(self, node: ast.AST) -> Span:
        span: Span = self.frames[-1].module.source.span(node)
        return span

    def say(self, event_type: type[Event], span: Span, *, about: Any = (), assumptions: Assumptions = NONE,
            **fields: Any) -> None:
        """Emit an event; `about` are the tensors whose provenance and assumptions it carries."""
        if self.expecting or (event_type in REFUSALS and (self.lost or self._handled(fields["mismatch"])
                                                          or self._chosen(fields))):
            return
        event = self.event(event_type, span, about=about, assumptions=assumptions, **fields)
        if self.guarded and not self.guarded.isdisjoint(event.assumptions):
            return
        self.emit(event)

    def event(self, event_type: type[Event], span: Span, *, about: Any = (), assumptions: Assumptions = NONE,
              **fields: Any) -> Event:
        """What `say` emits, for whoever tells it later."""
        control = self.frames[-1].control if self.frames else NONE
        return event_type(span=span, stack=self.stack, about=about, control=assumptions | control,
                          calls=tuple(self.calls), uncalled=self.uncalled,
                          doubtful=self.cut_at is not None and self.doubtful, **fields)

    @property
    def tested(self) -> bool:
        """Whether one of the functions under way, or else the module, tested something that is not known. A lambda is a
        part of what it stands in: that of `tf.cond(...)` is one arm of a test there."""
        within = False
        for frame in self.frames:
            if frame.function is not None and type(frame.function.node) is not ast.Lambda:
                if frame.forked:
                    return True
                within = True
        return not within and any(frame.forked for frame in self.frames)

    def _handled(self, mismatch: Mismatch) -> bool:
        """Whether the program is ready for this error: a handler asks for it by name."""
        told = set(re.findall(r"\w+Error", re.sub(r'"[^"]*"', "", mismatch.error))) or ANY_ERROR
        return any(told & names for names in self.caught)

    def _chosen(self, fields: dict[str, Any]) -> bool:
        """Whether what one of a few callables was given hangs on which of them it is; what makes a layer is written."""
        return CHOSEN in self.conditions and fields.get("stage") != "constructor"

    @property
    def lost(self) -> bool:
        """Whether it hangs on a value that the program knows and that was lost on the way here.

        What a user, a machine or a caller decides may go either way, and both ways must work.
        """
        return any(reason.startswith(LOST) or reason.endswith(SET_ELSEWHERE) for reason in self.conditions)

    @property
    def doubtful(self) -> bool:
        """Whether it stands in one arm of a test that only the turns of a loop would decide which were not followed:
        what is known here need not go with this arm."""
        return self.cut_at is not None and any(reason != TURNS for reason in self.conditions[self.cut_at:])

    def give_up(self, what: str, span: Span | None = None, *, cut: bool = False) -> Unknown:
        span = span or (self.calls[-1] if self.calls else Span(self.linted, 1, 0, 1, 0))
        self.emit(BoundHit(span=span, stack=self.stack, what=what, cut=cut))
        return Unknown(what)

    def crash(self, where: str, error: BaseException, span: Span) -> Unknown:
        self.emit(Crashed(span=span, stack=self.stack, where=where, error=f"{type(error).__name__}: {error}"))
        return Unknown(f"internal error in {where}")
