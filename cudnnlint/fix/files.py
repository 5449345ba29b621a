"""Files as they are on disk, byte for byte, and how they are replaced."""

from __future__ import annotations

import os
import re
import tokenize
import warnings
from collections.abc import Sequence

from cudnnlint.records import record
from cudnnlint.replacing import replace
from cudnnlint.source import Span

NEWLINE = re.compile(r"\r\n|\r|\n")


@record(frozen=True, slots=True)
class File:
    """A file's text as it is on disk, line ends untouched; a byte order mark is part of the encoding."""

    path: str
    text: str
    encoding: str

    @property
    def newline(self) -> str:
        """The line end to write: that of the first line."""
        found = NEWLINE.search(self.text)
        return found[0] if found else "\n"

    @property
    def data(self) -> bytes:
        return self.text.encode(self.encoding)

    @property
    def lines(self) -> list[str]:
        """As spans count them, without their ends."""
        return NEWLINE.split(self.text)

    def region(self, span: Span) -> tuple[int, int] | None:
        """Offsets of a span, or None when it lies outside the text."""
        starts = line_starts(self.text)
        if not 1 <= span.line <= span.end_line <= len(starts):
            return None
        start, end = starts[span.line - 1] + span.column, starts[span.end_line - 1] + span.end_column
        return (start, end) if start <= end <= len(self.text) else None


@record(frozen=True, slots=True)
class Fixed:
    """A file as it was read and as it is to be."""

    file: File
    after: str

    @property
    def data(self) -> bytes:
        return self.after.encode(self.file.encoding)


def read(path: str) -> File:
    """Raises OSError, SyntaxError (unknown encoding) or UnicodeDecodeError."""
    with open(path, "rb") as stream:
        encoding, _ = tokenize.detect_encoding(stream.readline)
        stream.seek(0)
        return File(path, stream.read().decode(encoding), encoding)


def is_as_told(file: File, lines: Sequence[str]) -> bool:
    """Whether the file is still what the findings speak of."""
    return file.lines == [line.rstrip("\r\n") for line in lines]


def write(fixed: Fixed) -> None:
    """Replaces the file at once, through symbolic links, with its mode kept. Raises OSError."""
    target = os.path.realpath(fixed.file.path)
    mode = os.stat(target).st_mode
    if not os.access(target, os.W_OK):
        raise PermissionError(f"{fixed.file.path}: not writable")
    replace(target, fixed.data, mode & 0o7777)


def parses(text: str, path: str) -> bool:
    """Whether Python accepts the text; nothing is run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in NEWLINE.finditer(text))]
