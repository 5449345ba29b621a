"""The source lines that explain a finding: which are shown, merged and shortened, before any drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cudnnlint.finding import Finding
from cudnnlint.records import record
from cudnnlint.report._place import Place, line_at, place
from cudnnlint.report.model import Report
from cudnnlint.source import Span

MAX_STEPS = 6
"""Lines that one trace takes, the finding's own and the one that counts what is left out included."""
MAX_TEXTS = 3
"""Shapes told on one line before the middle ones are left out."""
MAX_MORE = 3
"""Further lines of a finding that spans several."""


@record(frozen=True, slots=True)
class Step:
    """One source line; `columns` (code points, half-open) are underlined if given; `skipped` steps went before it."""

    place: Place
    text: str
    column: int
    end_column: int
    texts: tuple[str, ...] = ()
    underlined: bool = False
    skipped: int = 0

    @property
    def label(self) -> str:
        """`a -> b`; of many only the first and the last."""
        shown = self.texts if len(self.texts) <= MAX_TEXTS else (self.texts[0], "...", self.texts[-1])
        return " -> ".join(shown)


def steps(report: Report, finding: Finding) -> list[Step]:
    """The trace, oldest first, ending in the finding's own line; empty when no source is at hand."""
    found = _step(report, finding.span)
    traced = [step for label in finding.trace if (step := _step(report, label.span, label.text)) is not None]
    if found is None:
        return shorten(merge(traced))
    merged = merge([*traced, replace(found, underlined=True)])
    return shorten(merged) + _more(report, finding.span)


def merge(traced: Sequence[Step]) -> list[Step]:
    """Neighbours on the same line become one step with all their shapes."""
    merged: list[Step] = []
    for step in traced:
        if merged and (merged[-1].place.home, merged[-1].place.line) == (step.place.home, step.place.line):
            merged[-1] = replace(step, texts=_without_repeats((*merged[-1].texts, *step.texts)))
        else:
            merged.append(step)
    return merged


def shorten(traced: Sequence[Step], limit: int = MAX_STEPS) -> list[Step]:
    """The first step, and of the others the last ones."""
    if len(traced) <= limit:
        return list(traced)
    first, *rest = traced
    kept = rest[-(limit - 2):]
    return [first, replace(kept[0], skipped=len(rest) - len(kept)), *kept[1:]]


def _step(report: Report, span: Span, text: str = "") -> Step | None:
    line = line_at(report, span.path, span.line)
    if line is None:
        return None
    end = span.end_column if span.end_line == span.line else len(line.rstrip())
    return Step(place(report, span), line, span.column, max(end, span.column + 1), (text,) if text else ())


def _without_repeats(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for i, text in enumerate(texts) if i == 0 or text != texts[i - 1])


def _more(report: Report, span: Span) -> list[Step]:
    """The other lines of a finding that spans several: up to MAX_MORE, counting those left out."""
    last = min(span.end_line, span.line + MAX_MORE)
    spans = [Span(span.path, line, 0, line, 0) for line in range(span.line + 1, last + 1)]
    return [step for each in spans if (step := _step(report, each)) is not None]
