"""One line a finding, for editors, grep and CI logs."""

from __future__ import annotations

from cudnnlint.report._heading import closing, heading
from cudnnlint.report._style import paint
from cudnnlint.report.model import Report


def render(report: Report, *, color: bool = False, quiet: bool = False) -> str:
    """`quiet` leaves the summary out."""
    rows = [heading(report, finding) for finding in report.findings]
    return paint(rows if quiet else [*rows, *closing(report)], color=color)
