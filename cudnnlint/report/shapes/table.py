"""Models as tables: a heading, a line for each layer, and totals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cudnnlint.report._cells import one_line, width
from cudnnlint.report._place import place
from cudnnlint.report._style import Piece, Row, paint
from cudnnlint.report.full import call_path, is_definition
from cudnnlint.report.model import Report
from cudnnlint.report.shapes.model import Layer, Shapes, Table, Totals
from cudnnlint.report.shapes.words import bytes_text, dtype_text, params_text, shape_text
from cudnnlint.source import Span

COLUMNS = ("layer", "at", "input", "output", "dtype", "parameters")
INDENT = "  "
NARROWEST = 12
"""Cells that a layer's name keeps on a narrow terminal."""
MAX_REASONS = 4
"""Reasons for unknown parameters that are told one by one."""


class _Line(NamedTuple):
    """The cells of one layer, and what is said below it."""

    cells: tuple[str, str, str, str, str, str]
    after: str
    notes: tuple[str, ...]
    depth: int


def render(shapes: Sequence[Shapes], *, color: bool = False, batch: int | None = None,
           columns: int | None = None) -> str:
    """`batch` is what the batch is shown as; `columns` the terminal's width, None for no limit."""
    rows: list[Row] = []
    for each in shapes:
        report = Report.of((), each.sources)
        for table in each.tables:
            rows += [*_table(report, table, batch, columns), ()]
        for span, why in each.cut:
            where = Piece(_at(report, span, whole=span.line > 1), "path")
            rows += [(where, Piece(": "), Piece("not followed to the end", "note"),
                      Piece(f" ({one_line(why)}): layers may be missing")), ()]
    return paint(rows[:-1], color=color)


def _table(report: Report, table: Table, batch: int | None, columns: int | None) -> Iterator[Row]:
    yield _heading(report, table, batch)
    for name, text in _notes(report, table):
        yield (Piece(INDENT), Piece(f"{name}:", "note"), Piece(f" {one_line(text)}"))
    lines = [line for layer in table.layers for line in _lines(report, layer, batch, 0)]
    if lines:
        yield ()
        yield from _drawn(_fitted(lines, table.span.path, columns))
    if table.totals is not None:
        yield ()
        yield from _totals(table.totals)


def _heading(report: Report, table: Table, batch: int | None) -> Row:
    where = _at(report, table.span, whole=bool(table.kind or table.title))
    if not table.kind:
        name = f"in {table.title}" if table.title else "at the top level"
        return (Piece(name, "note"), Piece(", "), Piece(where, "path"), Piece(": layers of no model"))
    ends = [text for text in (shape_text(table.inputs, batch), shape_text(table.output, batch)) if text]
    shown = " -> ".join(ends) if len(ends) == 2 and "?" not in ends else ""
    alike = f" ({table.alike} alike)" if table.alike > 1 else ""
    return (Piece(one_line(table.title), "note"), Piece(f": {table.kind}{alike}, "), Piece(where, "path"),
            *((Piece(", "), Piece(shown, "shape")) if shown else ()))


def _notes(report: Report, table: Table) -> Iterator[tuple[str, str]]:
    calls = [span for span in table.calls if span[:2] != table.span[:2] and not is_definition(report, span)]
    for text in call_path(report, calls):
        yield "called from", text
    for text in table.assumptions:
        yield "assumes", text
    for text in table.notes:
        yield "note", text


def _lines(report: Report, layer: Layer, batch: int | None, depth: int) -> Iterator[_Line]:
    output = shape_text(layer.output, batch)
    params, after = "", ""
    if layer.totals is not None:
        params = params_text(layer.totals)
        frozen = layer.totals.frozen and not layer.totals.trainable and not layer.totals.unsure
        after = "frozen" if frozen else ""
    elif layer.shared:
        params = "shared"
    name = INDENT * depth + one_line(layer.label) + (f" x{layer.times}" if layer.times > 1 else "")
    called = output if layer.inputs is not None or layer.output is not None else "never called"
    yield _Line((name, _at(report, layer.span), shape_text(layer.inputs, batch), called, dtype_text(layer.output),
                 params), after, layer.notes, depth)
    for inner in layer.within:
        yield from _lines(report, inner, batch, depth + 1)


def _at(report: Report, span: Span | None, *, whole: bool = True) -> str:
    """`train.py:48`; a notebook's `nb.ipynb:cell 3:2`."""
    if span is None:
        return ""
    if span.path == "--input":
        return span.path
    where = place(report, span)
    return one_line(f"{where.path}:{where.within}" if whole else where.path)


def _fitted(lines: list[_Line], path: str, columns: int | None) -> list[_Line]:
    """On a terminal that is too narrow: places without the heading's path, then shorter names."""
    if columns is None or _size(lines) <= columns:
        return lines
    lines = [line._replace(cells=(line.cells[0], line.cells[1].removeprefix(path), *line.cells[2:])) for line in lines]
    over = _size(lines) - columns
    if over <= 0:
        return lines
    longest = max(width(line.cells[0]) for line in lines)
    room = max(longest - over, NARROWEST)
    return [line._replace(cells=(_cut(line.cells[0], room), *line.cells[1:])) for line in lines]


def _cut(text: str, room: int) -> str:
    return text if width(text) <= room else text[:room - 3] + "..."


def _size(lines: Sequence[_Line]) -> int:
    return sum(_widths(lines)) + len(INDENT) * len(COLUMNS) + 2


def _widths(lines: Sequence[_Line]) -> list[int]:
    return [max(width(line.cells[i]) for line in lines) for i in range(len(COLUMNS))]


def _drawn(lines: Sequence[_Line]) -> Iterator[Row]:
    widths = [max(size, len(name)) for size, name in zip(_widths(lines), COLUMNS, strict=True)]
    yield _cells(COLUMNS, widths, "gutter", arrow=False)
    for line in lines:
        yield (*_cells(line.cells, widths, "", arrow=bool(line.cells[2])),
               *((Piece(f"  {line.after}", "info"),) if line.after else ()))
        for note in line.notes:
            style = "error" if note.startswith("fails") else "warning"
            yield (Piece(INDENT * (line.depth + 2)), Piece("^ " + one_line(note), style))


def _cells(cells: Sequence[str], widths: Sequence[int], style: str, *, arrow: bool) -> Row:
    name, at, inputs, output, dtype, params = (
        text + " " * (size - width(text)) for text, size in zip(cells, widths, strict=True))
    return (Piece(INDENT), Piece(name, style), Piece(INDENT), Piece(at, style or "place"), Piece(INDENT),
            Piece(f"{inputs} {'->' if arrow else '  '} {output}", style or "shape"), Piece(INDENT),
            Piece(dtype, style), Piece(INDENT), Piece(f"{params.strip():>{widths[-1]}}", style))


def _totals(totals: Totals) -> Iterator[Row]:
    """`total  1,792 parameters  7.00 KiB`, and how it is divided."""
    if totals.unknown and not totals.count:
        yield (Piece(f"{INDENT}parameters unknown", "note"),)
    else:
        rows = [("total", totals.count, totals.bytes), ("trainable", totals.trainable, totals.trainable_bytes),
                ("non-trainable", totals.frozen, totals.frozen_bytes)]
        digits = len(f"{totals.count:,}")
        least = "at least " if totals.unknown else ""
        for name, count, size in rows[:1] if totals.unsure else rows:
            if totals.unknown and not count:
                continue
            text = f"{INDENT}{name:<13}  {least}{count:>{digits},} parameters"
            yield (Piece(text, "note" if name == "total" else ""),
                   Piece(f"  {bytes_text(size)}" if totals.sized else ""))
        if totals.unsure:
            yield (Piece(f"{INDENT}which of them are trained is not known"),)
    for reason in totals.unknown[:MAX_REASONS]:
        yield (Piece(f"{INDENT * 2}"), Piece(f"not counted: {one_line(reason)}", "warning"))
    if len(totals.unknown) > MAX_REASONS:
        yield (Piece(f"{INDENT * 2}not counted: {len(totals.unknown) - MAX_REASONS} more", "warning"),)
