"""A source with shapes at the line ends: the code is printed as it stands, the comments are aligned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from cudnnlint.records import record
from cudnnlint.report._cells import one_line, width
from cudnnlint.report._style import STYLES
from cudnnlint.source import Source

FARTHEST = 72
"""Cells of code that comments are aligned behind; those of longer lines follow them directly."""
GAP = 3


@record(frozen=True, slots=True)
class Annotated:
    """`comments` by line, as the source counts them."""

    source: Source
    comments: Mapping[int, str]


def render(files: Sequence[Annotated], *, color: bool = False) -> str:
    """The files one after the other; of a notebook, its code cells under `# %%` lines."""
    paint = _painter(color)
    lines: list[str] = []
    for each in files:
        if len(files) > 1:
            lines += ["", f"# {one_line(each.source.path)}"] if lines else [f"# {one_line(each.source.path)}"]
        lines += [code + paint(comment) for code, comment in _lines(each)]
    return "".join(line + "\n" for line in lines)


def _lines(file: Annotated) -> Iterator[tuple[str, str]]:
    """(code, comment with the blanks before it)."""
    sizes = [_cells(file.source.lines[line - 1]) for line in file.comments if line <= len(file.source.lines)]
    at = max((size for size in sizes if size <= FARTHEST), default=0) + GAP
    starts = {cell.start: cell.number for cell in file.source.cells}
    lines = file.source.lines
    for number, code in enumerate(lines if lines[-1] else lines[:-1], 1):
        if number in starts:
            yield f"# %% cell {starts[number]}", ""
        comment = file.comments.get(number, "")
        blanks = " " * max(at - _cells(code), GAP - 1)
        yield code, f"{blanks}# {one_line(comment)}" if comment else ""


def _cells(code: str) -> int:
    return width(code.expandtabs())


def _painter(color: bool) -> Callable[[str], str]:
    if not color:
        return str
    from rich.style import Style

    style = Style.parse(STYLES["shape"])
    return lambda text: style.render(text) if text else text
