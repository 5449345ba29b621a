"""Where text lives: the one coordinate system shared by trees, findings, fixes and reports."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A half-open region of a file: lines from 1, columns from 0, both in code points."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
