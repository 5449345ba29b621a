"""What a finding says below its message, as plain lines, for formats that have one text for all of it."""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.finding import Finding
from cudnnlint.report._cells import one_line
from cudnnlint.report._verified import verdict_text


def details(finding: Finding) -> list[str]:
    """`fails: ...`, `help: ...` and so on, those that there are."""
    return [f"{name}: {one_line(text)}" for name, text in _details(finding)]


def _details(finding: Finding) -> Iterator[tuple[str, str]]:
    for assumption in finding.assumptions:
        yield "assumes", assumption
    if finding.fails:
        yield "fails", finding.fails
    if finding.help:
        yield "help", finding.help
    if finding.fix is not None:
        yield "fix", finding.fix.title
    if finding.verification is not None:
        yield "verified", verdict_text(finding.verification)
