"""Annotations on GitHub: workflow commands, which a runner of GitHub Actions shows at the lines of a pull request."""

from __future__ import annotations

from cudnnlint.finding import Finding, Level
from cudnnlint.report._cells import one_line
from cudnnlint.report._details import details
from cudnnlint.report._heading import closing
from cudnnlint.report._paths import in_repository
from cudnnlint.report._place import Place, place
from cudnnlint.report._style import Piece, paint
from cudnnlint.report.model import Report

COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def render(report: Report, *, color: bool = False, quiet: bool = False) -> str:
    """`quiet` leaves the summary out."""
    rows = [(Piece(command(report, finding), finding.level.value),) for finding in report.findings]
    return paint(rows if quiet else [*rows, *closing(report)], color=color)


def command(report: Report, finding: Finding) -> str:
    """`::error title=...,file=train.py,line=14,...::message`."""
    where = place(report, finding.span)
    properties = {"title": f"{finding.code} {finding.rule}", "file": in_repository(where.path), **_position(where)}
    named = ",".join(f"{name}={escaped_property(str(value))}" for name, value in properties.items())
    heading = one_line(finding.message) if where.cell is None else f"{where.within}: {one_line(finding.message)}"
    return f"::{COMMANDS[finding.level]} {named}::{escaped(chr(10).join([heading, *details(finding)]))}"


def _position(where: Place) -> dict[str, int]:
    """Columns are for a single line; the lines of a notebook's cell are not those of its file."""
    if where.cell is not None:
        return {"line": 1}
    lines = {"line": where.line, "endLine": where.end_line}
    return lines if where.line != where.end_line else {**lines, "col": where.column, "endColumn": where.end_column}


def escaped(text: str) -> str:
    """The text of a command (actions/toolkit, packages/core/src/command.ts: escapeData).

    >>> escaped("50 % of\\nall")
    '50 %25 of%0Aall'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    """A property of a command (ibid.: escapeProperty).

    >>> escaped_property("a,b:c")
    'a%2Cb%3Ac'
    """
    return escaped(text).replace(":", "%3A").replace(",", "%2C")
