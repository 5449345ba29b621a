"""What all events have in common."""

from __future__ import annotations

from typing import Any

from cudnnlint.finding import Finding, Label
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.trace import assumption_texts, assumptions_of, provenance
from cudnnlint.values import Stack
from cudnnlint.values.assumption import NONE, Assumptions


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Event:
    """Common to all; no two are compared, which spares making the methods for it at every start.

    span         where the user can act
    stack        the versions the verdict is about
    about        the tensors involved (a structure): where the provenance comes from
    control      assumptions that the event rests on besides those of `about`
    calls        the user's calls under way, outermost first
    applied_at   where it happened, when that is not `span`
    uncalled     it happened in a function that nothing calls, followed with open parameters
    doubtful     in an arm of a test that hangs on turns of a loop which were not followed
    """

    span: Span
    stack: Stack
    about: Any = ()
    control: Assumptions = NONE
    calls: tuple[Span, ...] = ()
    applied_at: Span | None = None
    uncalled: bool = False
    doubtful: bool = False

    @property
    def trace(self) -> tuple[Label, ...]:
        """The provenance of the values involved, oldest first, each step with its inferred shape."""
        return self._traced("")

    def _traced(self, gets: str) -> tuple[Label, ...]:
        """`gets` is what is handed over, where no other line tells it: an earlier turn of a loop made it right here."""
        labels = provenance(self.about, self.span)
        if self.applied_at is None:
            return (*labels, Label(self.span, gets)) if gets else labels
        here = Label(self.applied_at, f"{gets} here" if gets else "applied here")
        return (*(label for label in labels if label.span.line != self.applied_at.line), here)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Defaults that the event rests on, as text."""
        return assumption_texts(self.about, self.control, self.span.path)

    @property
    def rests_on_none(self) -> bool:
        """Whether a default of None is among them."""
        return any(assumption.is_none for assumption in assumptions_of(self.about, self.control))

    @property
    def made_of_none(self) -> bool:
        """Whether one is among those of the values, not only of the way that the program takes for it."""
        return any(assumption.is_none for assumption in assumptions_of(self.about, NONE))

    def spoken(self, span: Span, home: Span | None = None) -> str:
        """Where something else stands, for a message at `home` or the event's span: ` in line 12`, ` in train.py line
        12`; "" in a notebook, whose lines are counted by cell."""
        if span.path.endswith(".ipynb"):
            return ""
        name = span.path.replace("\\", "/").rpartition("/")[2]
        return f" in line {span.line}" if span.path == (home or self.span).path else f" in {name} line {span.line}"

    def finding(self, message: str, **more: Any) -> Finding:
        """A finding here, with this event's provenance."""
        more.setdefault("span", self.span)
        more.setdefault("trace", self.trace)
        calls = tuple(call for call in self.calls if call != more["span"])
        return Finding(message=message, calls=calls, assumptions=self.assumptions, **more)
