"""Pieces of output with a style; painting them loads rich, and only when colour is on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.style import Style


class Piece(NamedTuple):
    """Text and the name of its style, "" for none."""

    text: str
    style: str = ""


Row = tuple[Piece, ...]

STYLES = {
    "path": "bold",
    "place": "cyan",
    "error": "bold red",
    "warning": "bold yellow",
    "info": "bold blue",
    "gutter": "bold blue",
    "shape": "cyan",
    "note": "bold",
    "good": "green",
    "added": "green",
    "removed": "red",
}


def paint(rows: Iterable[Row], *, color: bool) -> str:
    """The rows as lines, without trailing blanks."""
    if not color:
        return "".join("".join(piece.text for piece in row).rstrip() + "\n" for row in rows)
    from rich.style import Style

    styles = {name: Style.parse(definition) for name, definition in STYLES.items()}
    return "".join(_painted(row, styles) + "\n" for row in rows)


def _painted(row: Row, styles: Mapping[str, Style]) -> str:
    return "".join(styles[piece.style].render(piece.text) if piece.style else piece.text for piece in row)
