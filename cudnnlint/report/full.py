"""The format for people: each finding with the source that led to it, where it fails and what helps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnnlint.finding import Applicability, Finding
from cudnnlint.report._cells import crop, one_line
from cudnnlint.report._excerpt import steps
from cudnnlint.report._frame import draw, gutter_width
from cudnnlint.report._heading import closing, heading
from cudnnlint.report._place import line_at, place
from cudnnlint.report._style import Piece, Row, paint
from cudnnlint.report._verified import verdict_text
from cudnnlint.report.model import Report
from cudnnlint.source import Span

MAX_CALLS = 4
"""Calls told of a call path before the middle ones are left out."""
CALL_WIDTH = 72
ASSUMED_WIDTH = 80
DEFINITIONS = ("def ", "class ", "async def ")
APPLIED = {Applicability.SAFE: " (applied by --fix)", Applicability.UNSAFE: " (applied by --fix --unsafe-fixes)"}


def render(report: Report, *, color: bool = False, quiet: bool = False) -> str:
    """`quiet` leaves the summary out."""
    rows = [row for finding in report.findings for row in _finding(report, finding)]
    return paint(rows if quiet else [*rows, *closing(report)], color=color)


def _finding(report: Report, finding: Finding) -> Iterator[Row]:
    found = steps(report, finding)
    yield heading(report, finding)
    if found:
        cut = found[-1].place.line < place(report, finding.span).end_line
        yield from draw(found, place(report, finding.span).home, level=finding.level.value, cut=cut)
    indent = " " * (gutter_width(found) + 1)
    for name, text in _notes(report, finding):
        yield (Piece(f"{indent}= ", "gutter"), Piece(f"{name}:", "note"), Piece(f" {one_line(text)}"))
    yield ()


def _notes(report: Report, finding: Finding) -> Iterator[tuple[str, str]]:
    for assumption in together(finding.assumptions):
        yield "assumes", assumption
    alone = finding.calls[:1] if finding.calls and is_definition(report, finding.calls[0]) else ()
    for text in call_path(report, alone):
        yield "followed on its own", text
    for text in call_path(report, finding.calls[len(alone):]):
        yield "called from", text
    for span in finding.also:
        yield "the same at", _spoken(report, span)
    if finding.fails:
        yield "fails", finding.fails
    if finding.help:
        yield "help", finding.help
    if finding.fix is not None:
        yield "fix", finding.fix.title + APPLIED.get(finding.fix.applicability, "")
    if finding.verification is not None:
        yield "verified", verdict_text(finding.verification)
    yield "see", f"cudnnlint rule {finding.rule}"


def is_definition(report: Report, span: Span) -> bool:
    """What is followed by itself, since no call of it was met, is called from where it is written."""
    return (line_at(report, span.path, span.line) or "").lstrip().startswith(DEFINITIONS)


def call_path(report: Report, calls: Sequence[Span]) -> Iterator[str]:
    """`train.py:30:9: model = build(5)`, outermost first."""
    shown = list(calls) if len(calls) <= MAX_CALLS else [*calls[:1], *calls[-(MAX_CALLS - 1):]]
    for i, span in enumerate(shown):
        if i == 1 and len(shown) < len(calls):
            yield f"... {len(calls) - len(shown)} more"
        yield _spoken(report, span)


def _spoken(report: Report, span: Span) -> str:
    text = crop((line_at(report, span.path, span.line) or "").lstrip(), 0, 1, CALL_WIDTH).text
    return f"{place(report, span)}" + (f": {text}" if text else "")


def together(assumptions: Sequence[str]) -> Iterator[str]:
    """Those of one origin on one line, as far as the line is not long.

    >>> list(together(["a = 1 (default of f, line 3)", "b = 2 (default of f, line 3)", "c = 3 (config.json, key c)"]))
    ['a = 1, b = 2 (default of f, line 3)', 'c = 3 (config.json, key c)']
    """
    lines: list[tuple[str, str]] = []
    for assumption in assumptions:
        told, _, origin = assumption.rpartition(" (")
        if lines and told and lines[-1][1] == origin and len(lines[-1][0]) + len(told) < ASSUMED_WIDTH:
            lines[-1] = (f"{lines[-1][0]}, {told}", origin)
        else:
            lines.append((told, origin))
    return (f"{told} ({origin}" if told else origin for told, origin in lines)
