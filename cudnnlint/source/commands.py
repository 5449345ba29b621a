"""Magics that the program goes on with: `%run other.ipynb` and cells that write a module, as calls of what they do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from cudnnlint.source.cell import Cell

RUN, WRITE = "%run", "%%writefile"
"""The functions that stand for them: no name of a program can be one of these."""

_RUNS = re.compile(r"[ \t]*%run[ \t]+(\S.*)")
_WRITES = re.compile(r"\s*%%(?:writefile|file)[ \t]+(\S.*)")


def writing(cell: Cell) -> ast.stmt | None:
    """A cell of `%%writefile model.py` as a call with its argument line and, where it stands, its text."""
    lines = cell.text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), 0)
    found = _WRITES.match(lines[first])
    if found is None:
        return None
    line = cell.start + first
    text = ast.Constant("\n".join(lines[first + 1:]), lineno=line + 1, col_offset=0, end_lineno=line + 1,
                        end_col_offset=0)
    return _statement(WRITE, [found[1].strip(), text], line, 0, len(lines[first]))


def with_runs(body: list[ast.stmt], cell: Cell) -> list[ast.stmt]:
    """The statements of a cell in which `pass` stands for each magic, with those that run a file as calls."""
    if RUN not in cell.text:
        return body
    runs = _Runs(cell)
    return [runs.visit(statement) for statement in body]


class _Runs(ast.NodeTransformer):
    def __init__(self, cell: Cell) -> None:
        self._lines, self._start = cell.text.split("\n"), cell.start

    def visit_Pass(self, node: ast.Pass) -> ast.stmt:
        at = node.lineno - self._start
        line = self._lines[at] if at < len(self._lines) else ""
        found = _RUNS.match(line)
        return node if found is None else _statement(RUN, [found[1].strip()], node.lineno, node.col_offset, len(line))


def _statement(name: str, arguments: Iterable[str | ast.expr], line: int, column: int, end: int) -> ast.stmt:
    call = ast.Call(ast.Name(name, ast.Load()), [_constant(each) for each in arguments], [])
    made = ast.Expr(call, lineno=line, col_offset=column, end_lineno=line, end_col_offset=end)
    return ast.fix_missing_locations(made)


def _constant(value: str | ast.expr) -> ast.expr:
    return ast.Constant(value) if isinstance(value, str) else value
