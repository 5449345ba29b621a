"""The line that names a finding: `train.py:14:5: CUD101 empty-feature-map: message`."""

from __future__ import annotations

from cudnnlint.finding import Finding
from cudnnlint.report._cells import one_line
from cudnnlint.report._place import place
from cudnnlint.report._style import Piece, Row
from cudnnlint.report._summary import CLEAN, is_fixable, summary
from cudnnlint.report.model import Report

MARK = " [*]"


def heading(report: Report, finding: Finding) -> Row:
    """Coloured by place and level."""
    where = place(report, finding.span)
    return (
        Piece(one_line(where.path), "path"),
        Piece(f":{where.within}:{where.column}: "),
        Piece(f"{finding.code} {finding.rule}", finding.level.value),
        Piece(f": {one_line(finding.message)}{MARK if is_fixable(finding) else ''}"),
    )


def closing(report: Report) -> list[Row]:
    """The summary's rows."""
    return [(Piece(line, "good" if line == CLEAN else "note"),) for line in summary(report)]
