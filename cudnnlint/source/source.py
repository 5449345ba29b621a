"""One file as everything else sees it: text, lines, tree, and spans that join them."""

from __future__ import annotations

import ast
import bisect
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from cudnnlint.source import disk
from cudnnlint.source.cell import Cell
from cudnnlint.source.decode import decode, split_lines
from cudnnlint.source.error import SourceError
from cudnnlint.source.parse import parse
from cudnnlint.source.span import Span
from cudnnlint.source.unsaved import unsaved

LONG = 200_000
"""Characters from which on all words are counted once, rather than each looked for."""
WORD = re.compile(r"\w+")
LINE_END = re.compile(r"\r\n?|\n")


class Location(NamedTuple):
    """A line as a person finds it: in a notebook, `line` counts within `cell`; elsewhere `cell` is None."""

    cell: int | None
    line: int


class Source:
    """A module's text and what is derived from it. Treat as frozen: trees and lines are kept.

    path    as shown to the user
    text    decoded, without a BOM; of a notebook, its code cells one after the other
    cells   the code cells of a notebook, empty for a module
    errors  cells that do not parse: complete once `tree` was called
    """

    def __init__(self, path: str, text: str, *, tree: ast.Module | None = None, cells: tuple[Cell, ...] = ()) -> None:
        self.path = path
        self.text = text
        self.cells = cells
        self.errors: tuple[SourceError, ...] = ()
        self._tree = tree
        self._failure: SourceError | None = None
        self._lines: list[str] | None = None
        self._code: list[str] | None = None
        self._offsets: dict[int, list[int]] = {}
        self._said: dict[str, bool] = {}
        self._repeated: set[str] | None = None
        self._starts: list[int] | None = None
        self._is_ascii = text.isascii()

    @classmethod
    def read(cls, path: str | Path) -> Source:
        """The file at `path`, which is also its display path; SourceError if it cannot be read."""
        return cls.from_bytes(str(path), read_bytes(path))

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> Source:
        """A notebook if `path` ends in .ipynb, a module otherwise; SourceError if it cannot be decoded."""
        if path.endswith(".ipynb"):
            from cudnnlint.source.notebook import read_cells

            cells = read_cells(path, data)
            return cls(path, "\n".join(cell.text for cell in cells), cells=cells)
        return cls(path, decode(path, data))

    @classmethod
    def from_text(cls, path: str, text: str, tree: ast.Module | None = None) -> Source:
        """A module whose text, and maybe tree, someone else has already made (flake8)."""
        return cls(path, text.removeprefix("\ufeff"), tree=tree)

    def __repr__(self) -> str:
        return f"Source({self.path!r}, {len(self.lines)} lines)"

    @property
    def lines(self) -> list[str]:
        """Lines as spans count them, without their ends."""
        if self._lines is None:
            self._lines = split_lines(self.text)
        return self._lines

    def says(self, word: str, first: int | None = None, last: int | None = None) -> bool:
        """Whether the text holds a word, anywhere or from one line to another: cheaper than looking through its tree.

        >>> source = Source.from_text("train.py", "x = 1\\nyield x")
        >>> source.says("yield"), source.says("yield", 1, 1)
        (True, False)
        """
        if first is not None:
            return any(word in line for line in self._parsed_lines()[first - 1:last])
        if word not in self._said:
            self._said[word] = word in self.text
        return self._said[word]

    def repeats(self, word: str) -> bool:
        """Whether the text holds a word more than once.

        >>> Source.from_text("nets.py", "def net(): ...\\nnet()").repeats("net")
        True
        >>> Source.from_text("nets.py", "def net(): subnet(net_of)").repeats("net")
        False
        """
        if len(self.text) > LONG:
            if self._repeated is None:
                words = Counter(WORD.findall(self.text))
                self._repeated = {one for one, times in words.items() if times > 1}
            return word in self._repeated
        times, at = 0, self.text.find(word)
        while at >= 0 and times < 2:
            end = at + len(word)
            around = self.text[max(0, at - 1):at] + self.text[end:end + 1]
            times += not any(char.isalnum() or char == "_" for char in around)
            at = self.text.find(word, end)
        return times > 1

    def line_at(self, place: int) -> int:
        """The line of a character of the text.

        >>> Source.from_text("nets.py", "import keras\\n\\nx = keras.Input((8,))").line_at(14)
        3
        """
        if self._starts is None:
            self._starts = [0, *(end.end() for end in LINE_END.finditer(self.text))]
        return bisect.bisect_right(self._starts, place)

    def forget_tree(self) -> None:
        """Let go of the syntax tree, many times the size of the text; `tree` parses again if it is asked for."""
        self._tree = None

    def take_tree(self, other: Source) -> None:
        """Use the tree of the same text."""
        if self._tree is None and not self.cells and self.text == other.text:
            self._tree = other.tree()

    def tree(self) -> ast.Module:
        """The syntax tree, parsed once; SourceError, every time, if the text is not Python."""
        if self._failure is not None:
            raise self._failure
        if self._tree is None:
            try:
                self._tree = self._parse()
            except SourceError as error:
                self._failure = error
                raise
        return self._tree

    def span(self, node: ast.AST) -> Span:
        """Where a node stands. A node without a position of its own (a Module) stands at the start.

        `ast` counts columns in UTF-8 bytes, spans in code points. It is kept on the node.
        """
        known: Span | None = getattr(node, "cudnnlint_span", None)
        if known is None or known.path != self.path:
            known = node.cudnnlint_span = self._span(node)  # type: ignore[attr-defined]
        return known

    def _span(self, node: ast.AST) -> Span:
        line: int = getattr(node, "lineno", 1)
        column: int = getattr(node, "col_offset", 0)
        end_line: int = getattr(node, "end_lineno", None) or line
        end_column: int | None = getattr(node, "end_col_offset", None)
        end_column = column if end_column is None else end_column
        if self._is_ascii:
            return Span(self.path, line, column, end_line, end_column)
        return Span(self.path, line, self._points(line, column), end_line, self._points(end_line, end_column))

    def locate(self, line: int) -> Location:
        """Where a person finds a line of the module: in a notebook, in which cell.

        >>> Source.from_text("train.py", "import keras").locate(1)
        Location(cell=None, line=1)
        """
        if not self.cells:
            return Location(None, line)
        cell = next((cell for cell in reversed(self.cells) if cell.start <= line), self.cells[0])
        return Location(cell.number, line - cell.start + 1)

    def _parse(self) -> ast.Module:
        if not self.path.endswith(".ipynb"):
            return parse(self.path, self.text)
        from cudnnlint.source.notebook import parse_cells

        tree, self.errors = parse_cells(self.path, self.cells)
        return tree

    def _points(self, line: int, column: int) -> int:
        """Code points in the first `column` UTF-8 bytes of a line."""
        offsets = self._offsets.get(line)
        if offsets is None:
            lines = self._parsed_lines()
            offsets = self._offsets[line] = _trailing_bytes(lines[line - 1] if 0 < line <= len(lines) else "")
        return column - bisect.bisect_left(offsets, column)

    def _parsed_lines(self) -> list[str]:
        """The lines that the tree was made of: a notebook's have their magics taken out."""
        if not self.cells:
            return self.lines
        if self._code is None:
            self._code = [line for cell in self.cells
                          for line in split_lines(cell.text if cell.code is None else cell.code)]
        return self._code


LARGEST = 256 << 20
"""Bytes of a file, at most: notebooks hold pictures."""


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file, or what is to be read in its place; SourceError if it cannot be read."""
    if (held := unsaved(path)) is not None:
        return held
    try:
        data = disk.read(path, LARGEST + 1)
        if len(data) <= LARGEST:
            return data
        raise SourceError(str(path), 1, 0, f"cannot be read: larger than {LARGEST >> 20} MiB", unread=True)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise SourceError(str(path), 1, 0, f"cannot be read: {reason.lower()}", unread=True) from None


def _trailing_bytes(line: str) -> list[int]:
    """Offsets of the bytes that start no code point.

    >>> _trailing_bytes("aä")
    [2]
    """
    if line.isascii():
        return []
    return [at for at, byte in enumerate(line.encode("utf-8", "surrogatepass")) if byte & 0xC0 == 0x80]
