"""Where a span lies as a person reads it: path, notebook cell, line and column from 1, and the text there."""

from __future__ import annotations

from typing import NamedTuple

from cudnnlint.report.model import Report
from cudnnlint.source import Span


class Place(NamedTuple):
    """Lines and columns from 1, in code points; the end is exclusive; in a notebook they count within `cell`."""

    path: str
    cell: int | None
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        """`train.py:14:5`, or `nb.ipynb:cell 3:2:5`."""
        return f"{self.path}:{self.within}:{self.column}"

    @property
    def within(self) -> str:
        """`14`, or `cell 3:2`."""
        return str(self.line) if self.cell is None else f"cell {self.cell}:{self.line}"

    @property
    def home(self) -> str:
        """What line numbers count within: `train.py`, or `nb.ipynb, cell 3`."""
        return self.path if self.cell is None else f"{self.path}, cell {self.cell}"


def line_at(report: Report, path: str, line: int) -> str | None:
    """The text of a line of the file as the spans count it, or None when the file is not at hand."""
    source = report.sources.get(path)
    if source is None or not 1 <= line <= len(source.lines):
        return None
    return source.lines[line - 1]


def place(report: Report, span: Span) -> Place:
    """Notebook lines become cell and line in the cell; all else stays."""
    source = report.sources.get(span.path)
    cell, line = (None, span.line) if source is None else source.locate(span.line)
    return Place(span.path, cell, line, span.column + 1, line + span.end_line - span.line, span.end_column + 1)
