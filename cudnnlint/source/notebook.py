"""Notebooks as modules: the code cells of an .ipynb, one after the other, each parsed on its own.

The format is nbformat 2 to 4 (nbformat.readthedocs.io/en/latest/format_description.html), read leniently:
what a cell needs is its type and its source.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cudnnlint.source.broken import imported, left_by
from cudnnlint.source.cell import Cell
from cudnnlint.source.commands import with_runs, writing
from cudnnlint.source.decode import split_lines
from cudnnlint.source.error import SourceError
from cudnnlint.source.magics import is_automatic, python_of
from cudnnlint.source.parse import parse
from cudnnlint.source.python_2 import divided_whole, is_old, without_prints

PYTHON = frozenset({"python", "ipython", "python2", "python3"})


def read_cells(path: str, data: bytes) -> tuple[Cell, ...]:
    """The code cells; none if the notebook's kernel is not Python; SourceError if the file is no notebook."""
    notebook = _load(path, data)
    if not _is_python(notebook.get("metadata")):
        return ()
    cells: list[Cell] = []
    start, old = 1, is_old(notebook.get("metadata"))
    for number, text in _code_texts(path, notebook):
        cells.append(Cell(number, start, text, python_of(text), old))
        start += text.count("\n") + 1
    return tuple(cells)


def parse_cells(path: str, cells: Sequence[Cell]) -> tuple[ast.Module, tuple[SourceError, ...]]:
    """One module of all cells that are Python, in order, and an error for each that is not."""
    parts: list[list[ast.stmt] | Cell] = []
    errors: list[SourceError] = []
    for cell in cells:
        if cell.code is None:
            written = writing(cell)
            parts += [] if written is None else [[written]]
            continue
        try:
            parts.append(with_runs(_statements(path, cell), cell))
        except SourceError as error:
            if is_automatic(cell.code):
                continue
            if (statements := _of_python_2(path, cell)) is not None:
                parts.append(statements)
                continue
            if not cell.old:
                message = _earlier(error.message, cell.start - 1)  # as people count them
                errors.append(SourceError(path, error.line, error.column, message))
            parts.append(cell)
    body = _joined(path, parts)
    if any(cell.old for cell in cells):
        divided_whole(body)
    return ast.Module(body=body, type_ignores=[]), tuple(errors)


def script_of(path: str, cells: Sequence[Cell]) -> str:
    """The cells as one script, nothing of them moved; those that are no Python are left blank."""
    return "\n".join(_script_of(path, cell) for cell in cells)


def _script_of(path: str, cell: Cell) -> str:
    try:
        parse(path, cell.code or "")
    except SourceError:
        return "\n" * cell.text.count("\n")
    return cell.code or "\n" * cell.text.count("\n")


def _joined(path: str, parts: list[list[ast.stmt] | Cell]) -> list[ast.stmt]:
    modules = imported([each for part in parts if isinstance(part, list) for each in part])
    body: list[ast.stmt] = []
    for part in parts:
        body += part if isinstance(part, list) else left_by(path, part.code or "", part.start, modules)
    return body


def _of_python_2(path: str, cell: Cell) -> list[ast.stmt] | None:
    """None where it is not the print statements alone that Python 3 does not take."""
    if not cell.old or cell.code is None:
        return None
    try:
        return _statements(path, cell._replace(code=without_prints(cell.code)))
    except SourceError:
        return None


def _statements(path: str, cell: Cell) -> list[ast.stmt]:
    """Blank lines before the cell put its nodes, and its syntax errors, on the module's lines."""
    code = cell.code or ""
    first = next((line for line in code.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    if not first.startswith((" ", "\t")):
        return parse(path, "\n" * (cell.start - 1) + code).body
    # IPython runs a cell that is indented as a whole; so does a block opened on the line before
    try:
        tree = parse(path, "\n" * (cell.start - 1) + "if 1:\n" + code)
    except SourceError as error:
        raise SourceError(path, max(error.line - 1, cell.start), error.column, _earlier(error.message, 1)) from None
    ast.increment_lineno(tree, -1)
    block = tree.body[0]
    return block.body + tree.body[1:] if isinstance(block, ast.If) else tree.body


def _earlier(message: str, lines: int) -> str:
    """The lines that a message names counted from a later one: "'(' was never closed on line 2"."""
    return re.sub(r"(?<=on line )\d+", lambda found: str(max(int(found[0]) - lines, 1)), message)


def _load(path: str, data: bytes) -> Mapping[str, Any]:
    try:
        notebook = json.loads(data)
    except json.JSONDecodeError as error:
        raise SourceError(path, error.lineno, error.colno - 1, f"not a notebook: {_lower(error.msg)}") from None
    except (RecursionError, ValueError) as error:
        raise SourceError(path, 1, 0, f"not a notebook: {error}".splitlines()[0]) from None
    if not isinstance(notebook, dict):
        raise SourceError(path, 1, 0, "not a notebook: expected a JSON object")
    return notebook


def _is_python(metadata: Any) -> bool:
    """Unless the metadata name another language."""
    for table, key in (("language_info", "name"), ("kernelspec", "language")):
        named = metadata.get(table) if isinstance(metadata, dict) else None
        language = named.get(key) if isinstance(named, dict) else None
        if isinstance(language, str) and language:
            return language.lower() in PYTHON
    return True


def _code_texts(path: str, notebook: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """(position among all cells, text) of the code cells."""
    cells = notebook.get("cells")
    if cells is None and isinstance(sheets := notebook.get("worksheets"), list):  # nbformat 2 and 3
        cells = [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells") or ()]
    if not isinstance(cells, list):
        raise SourceError(path, 1, 0, "not a notebook: it has no cells")
    for number, cell in enumerate(cells, start=1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code" and cell.get("language", "python") in PYTHON:
            yield number, _text(cell.get("source", cell.get("input", "")))


def _text(source: Any) -> str:
    """A text or a list of lines, with ends as "\\n"; lone surrogates, which JSON can spell, are replaced."""
    text = "".join(map(str, source)) if isinstance(source, list) else source if isinstance(source, str) else ""
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "\n".join(split_lines(text))


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
