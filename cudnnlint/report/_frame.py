"""Draws the explained source of one finding: a gutter of line numbers, the lines, carets, shapes at the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnnlint.report._cells import Crop, crop, one_line, width
from cudnnlint.report._excerpt import Step
from cudnnlint.report._style import Piece, Row

WIDEST = 96
"""Cells of a source line before it is cut."""
WIDEST_LABELLED = 72
"""The same where a shape stands to its right."""
LABEL_AT = 40
"""The shapes' column, unless a line is longer."""
GAP = 2


def draw(found: Sequence[Step], path: str, *, level: str, cut: bool = False) -> Iterator[Row]:
    """Rows of the frame. `path` names the place that needs no heading; `cut`: the last line is not the span's last."""
    margin = gutter_width(found)
    crops = [_crop(step) for step in found]
    at = max([LABEL_AT, *(width(each.text) + GAP for step, each in zip(found, crops, strict=True) if step.texts)])
    home = path
    yield _gutter(margin)
    for step, each in zip(found, crops, strict=True):
        if step.skipped:
            yield _note(margin, f"... {step.skipped} more step{'s' * (step.skipped > 1)}")
        if step.place.home != home:
            home = step.place.home
            yield (Piece(" " * margin + ":::", "gutter"), Piece(f" {home}", "path"))
        yield _source(step, each, margin, at)
        if step.underlined:
            yield (*_gutter(margin), Piece(" " * (each.start + 1)), Piece("^" * max(each.end - each.start, 1), level))
    if cut:
        yield _note(margin, "...")


def gutter_width(found: Sequence[Step]) -> int:
    """Digits of the largest line number."""
    return max((len(str(step.place.line)) for step in found), default=1)


def _crop(step: Step) -> Crop:
    return crop(step.text, step.column, step.end_column, WIDEST_LABELLED if step.texts else WIDEST)


def _gutter(margin: int, number: str = "") -> Row:
    return (Piece(f"{number:>{margin}} |", "gutter"),)


def _note(margin: int, text: str) -> Row:
    return (*_gutter(margin), Piece(f" {text}"))


def _source(step: Step, line: Crop, margin: int, at: int) -> Row:
    row = (*_gutter(margin, str(step.place.line)), Piece(f" {line.text}"))
    if not step.texts:
        return row
    return (*row, Piece(" " * (at - width(line.text))), Piece(one_line(step.label), "shape"))
