"""Files as they are on disk, byte for byte, and how they are replaced."""

from __future__ import annotations

import os
import re
import tokenize
import warnings
from collections.abc import Iterable, Sequence

from cudnnlint.fix import notebook
from cudnnlint.fix.notebook import Notebook
from cudnnlint.records import record
from cudnnlint.replacing import replace
from cudnnlint.source import Source, SourceError, Span

NEWLINE = re.compile(r"\r\n|\r|\n")
NOTEBOOK = ".ipynb"
Edits = Iterable[tuple[tuple[int, int], str]]
"""Offsets that are replaced, and by what."""


@record(frozen=True, slots=True)
class File:
    """A file's text as it is on disk, line ends untouched; a byte order mark is part of the encoding.

    notebook  what the text is the code of
    """

    path: str
    text: str
    encoding: str
    notebook: Notebook | None = None

    @property
    def newline(self) -> str:
        """The line end to write: that of the first line."""
        found = NEWLINE.search(self.text)
        return found[0] if found else "\n"

    @property
    def data(self) -> bytes:
        return self.text.encode(self.encoding) if self.notebook is None else self.notebook.data

    @property
    def lines(self) -> list[str]:
        """As spans count them, without their ends."""
        return NEWLINE.split(self.text)

    def region(self, span: Span) -> tuple[int, int] | None:
        """Offsets of a span, or None when it lies outside the text, or in more than one cell."""
        starts = line_starts(self.text)
        if not 1 <= span.line <= span.end_line <= len(starts):
            return None
        start, end = starts[span.line - 1] + span.column, starts[span.end_line - 1] + span.end_column
        if not start <= end <= len(self.text) or (self.notebook and self.notebook.cell_of(start, end) is None):
            return None
        return start, end

    def edited(self, edits: Edits) -> File:
        """With edits that do not overlap; their line ends become those of the file."""
        if self.notebook is not None:
            return _of(self.notebook.edited(edits))
        text = self.text
        for (start, end), new in sorted(edits, reverse=True):
            text = text[:start] + NEWLINE.sub(lambda _: self.newline, new) + text[end:]
        return File(self.path, text, self.encoding)


@record(frozen=True, slots=True)
class Fixed:
    """A file as it was read and as it is to be."""

    file: File
    after: File


def read(path: str) -> File:
    """Raises OSError, SyntaxError (unknown encoding) or ValueError (other encodings, no notebook)."""
    with open(path, "rb") as stream:
        if path.endswith(NOTEBOOK):
            return _of(notebook.read(path, stream.read()))
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
    replace(target, fixed.after.data, mode & 0o7777)


def parses(file: File, before: File) -> bool:
    """Whether Python accepts the text, or as much of it as before; nothing is run."""
    if file.notebook is not None:
        return _refused(file) <= _refused(before)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(file.text, file.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _refused(file: File) -> int:
    """The cells of a notebook that are no Python."""
    try:
        source = Source.from_bytes(file.path, file.data)
        source.tree()
    except SourceError:
        return len(file.text)
    return len(source.errors)


def line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in NEWLINE.finditer(text))]


def _of(read: Notebook) -> File:
    return File(read.path, read.text, read.encoding, read)
