"""Lays a line of source out in terminal cells, so that carets stay under what they point at."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

TAB = 4
ELLIPSIS = "..."
BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that reorder what follows on screen: never passed to a terminal."""


def char_width(char: str) -> int:
    """Cells that a terminal gives to one code point: 0, 1 or 2.

    >>> [char_width(char) for char in "a層\u0301"]
    [1, 2, 0]
    """
    if char.isascii():
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def width(text: str) -> int:
    """Cells of a whole string without tabs."""
    return len(text) if text.isascii() else sum(map(char_width, text))


def printable(char: str) -> str:
    """Control characters as pictures, bidirectional marks as U+FFFD: source never drives the terminal.

    >>> printable("\x1b")
    '␛'
    """
    if char < " ":
        return chr(0x2400 + ord(char))
    if "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" or char in BIDI or char in "\u2028\u2029":
        return "\ufffd"
    return char


def one_line(text: str) -> str:
    """A message made safe to print: line ends become spaces, control characters pictures."""
    return "".join(map(printable, " ".join(text.split("\n")).replace("\r", " ").replace("\t", " ")))


class Cells(NamedTuple):
    """A laid-out line: what to print for each code point, and the cell where each starts (and the last ends)."""

    chars: tuple[str, ...]
    starts: tuple[int, ...]

    @property
    def width(self) -> int:
        return self.starts[-1]

    def cell(self, column: int) -> int:
        """The cell of a column in code points; columns past the end stay at the end."""
        return self.starts[min(max(column, 0), len(self.chars))]


def lay_out(text: str) -> Cells:
    """Tabs reach the next multiple of TAB.

    >>> lay_out("a\\tb").starts
    (0, 1, 4, 5)
    """
    chars: list[str] = []
    starts = [0]
    for char in text:
        shown = " " * (TAB - starts[-1] % TAB) if char == "\t" else printable(char)
        chars.append(shown)
        starts.append(starts[-1] + width(shown))
    return Cells(tuple(chars), tuple(starts))


class Crop(NamedTuple):
    """What is printed of a line, and the cells that the carets take."""

    text: str
    start: int
    end: int


def crop(text: str, column: int, end_column: int, limit: int) -> Crop:
    """At most `limit` cells of a line, around the columns (code points, half-open); cut ends are marked `...`."""
    cells = lay_out(text)
    start, end = cells.cell(column), cells.cell(end_column)
    if cells.width <= limit:
        return Crop("".join(cells.chars).rstrip(), start, end)
    first, last = _window(cells, start, end, limit)
    head = ELLIPSIS if first else ""
    tail = ELLIPSIS if last < len(cells.chars) else ""
    shift = len(head) - cells.starts[first]
    return Crop(head + "".join(cells.chars[first:last]) + tail,
                max(start + shift, len(head)), min(end, cells.starts[last]) + shift)


def _window(cells: Cells, start: int, end: int, limit: int) -> tuple[int, int]:
    """The code points to keep: the region with as much on both sides as fits, its beginning if it does not."""
    room = limit - 2 * len(ELLIPSIS)
    left = start - max(room - (end - start), 0) // 2
    left = max(0, min(left, cells.width - room))
    first = next((i for i, cell in enumerate(cells.starts) if cell >= left), len(cells.chars))
    last = max((i for i, cell in enumerate(cells.starts) if cell <= left + room), default=first)
    return first, max(first, last)
