"""Notebooks as they are on disk: a fix changes the characters of a cell's source in the JSON, and nothing else.

A notebook is never written anew: outputs, metadata, the order of keys, indentation and escapes of what is not edited
stay byte for byte. A source is a text or a list of texts, by custom one a line
(nbformat.readthedocs.io/en/latest/format_description.html#cell-types).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from cudnnlint.fix.json_text import Text, elements, members, text_at
from cudnnlint.records import record
from cudnnlint.source import SourceError
from cudnnlint.source.notebook import read_cells


@record(frozen=True, slots=True)
class CellText:
    """A code cell: its position among all cells, where its text starts among the code of all, and where in the JSON."""

    number: int
    start: int
    source: Text

    @property
    def end(self) -> int:
        return self.start + len(self.source.text)


@record(frozen=True, slots=True)
class Notebook:
    """`raw` is the JSON; `text` the code cells one after the other, as spans count them."""

    path: str
    raw: str
    encoding: str
    cells: tuple[CellText, ...]

    @property
    def data(self) -> bytes:
        return self.raw.encode(self.encoding, "surrogatepass")

    @property
    def text(self) -> str:
        return "\n".join(cell.source.text for cell in self.cells)

    def cell_of(self, start: int, end: int) -> CellText | None:
        """The cell that holds these offsets; None for what lies in two, or in one without a character."""
        return next((cell for cell in self.cells if cell.source.text and cell.start <= start <= end <= cell.end), None)

    def edited(self, edits: Iterable[tuple[tuple[int, int], str]]) -> Notebook:
        """With other text in place of what lies at these offsets of the code, which do not overlap."""
        raw, ascii_only = self.raw, self.raw.isascii() and "\\u" in self.raw
        for (start, end), new in sorted(edits, reverse=True):
            cell = self.cell_of(start, end)
            if cell is not None:
                first, last, written = cell.source.spliced(start - cell.start, end - cell.start, new, ascii_only)
                raw = raw[:first] + written + raw[last:]
        return _of(self.path, raw, self.encoding)


def read(path: str, data: bytes) -> Notebook:
    """Raises ValueError for what is no notebook, or one that cannot be edited."""
    encoding = json.detect_encoding(data)
    raw = data.decode(encoding, "surrogatepass")
    if raw.encode(encoding, "surrogatepass") != data:
        raise ValueError(f"{path}: not what it would be written as")
    try:
        return _of(path, raw, encoding)
    except (SourceError, LookupError, ValueError) as error:
        raise ValueError(f"{path}: not a notebook that can be edited") from error


def _of(path: str, raw: str, encoding: str) -> Notebook:
    places = dict(enumerate(_cells(raw), start=1))
    cells: list[CellText] = []
    start = 0
    for cell in read_cells(path, raw.encode("utf-8", "surrogatepass")):
        source = text_at(raw, _source(raw, places[cell.number]))
        if source is None or len(source.text) != len(cell.text):
            raise ValueError(f"{path}: the source of cell {cell.number} is no text")
        cells.append(CellText(cell.number, start, source._replace(text=cell.text)))
        start += len(cell.text) + 1
    return Notebook(path, raw, encoding, tuple(cells))


def _cells(raw: str) -> Iterator[int]:
    """Where each cell starts, of any kind, as `source/notebook.py` counts them."""
    top = members(raw, 0)
    if "cells" in top:
        return elements(raw, top["cells"])
    sheets = [members(raw, at) for at in elements(raw, top["worksheets"])]
    return (at for sheet in sheets if "cells" in sheet for at in elements(raw, sheet["cells"]))


def _source(raw: str, cell: int) -> int:
    within = members(raw, cell)
    return within["source"] if "source" in within else within["input"]
