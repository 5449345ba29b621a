"""The memory of a step as a picture: areas by layer over the step and the GPU's limit, one SVG without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from cudnnlint.memory.amounts import amount
from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.gpus import GPU
from cudnnlint.records import record
from cudnnlint.report.memory import bars
from cudnnlint.report.memory.plot import AREA, Plot, color, outline, phases, plot, ticks
from cudnnlint.report.memory.strokes import axis, box, clean, limit, shortened, stroke, words

WIDTH, HEIGHT = 1000, 440
LEGEND, LONGEST = 14, 110
STYLE = """
.bg{fill:#ffffff}.t{fill:#1f2430}.m{fill:#5b6472}.g{stroke:#d7dbe2}.a{stroke:#8a93a3}.l{stroke:#c62828}.lt{fill:#c62828}
.s{fill:#eceff4}.s2{fill:#dde2ea}.h{stroke:#ffffff}
@media (prefers-color-scheme:dark){.bg{fill:#15181e}.t{fill:#e8eaf0}.m{fill:#a4acb9}.g{stroke:#2c323c}.a{stroke:#6b7482}
.l{stroke:#ff7b72}.lt{fill:#ff7b72}.s{fill:#232831}.s2{fill:#2f3641}.h{stroke:#15181e}}
"""
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


@record(frozen=True, slots=True)
class Picture:
    """A training call: its title, what is said under it, the estimate on a GPU, that in mixed precision, and those of
    other batch sizes."""

    title: str
    verdict: str
    estimate: Estimate
    gpu: GPU
    mixed: Estimate | None = None
    curve: Sequence[tuple[int, Estimate]] = ()

    @property
    def height(self) -> int:
        return HEIGHT + (bars.HEIGHT if self.curve else 0)


def svg(pictures: Sequence[Picture]) -> str:
    """One file, one picture under the other."""
    height = sum(picture.height for picture in pictures) or HEIGHT
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "width": str(WIDTH), "height": str(height),
                              "viewBox": f"0 0 {WIDTH} {height}", "font-family": FONT})
    ET.SubElement(root, "style").text = STYLE
    box(root, "bg", "#ffffff", 0, 0, WIDTH, height)
    for place, picture in enumerate(pictures):
        above = sum(one.height for one in pictures[:place])
        draw(ET.SubElement(root, "g", {"transform": f"translate(0,{above})"}), picture)
    if not pictures:
        words(root, "t", 24, 60, "no training calls and no models that could be followed", 16)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def draw(parent: ET.Element, picture: Picture) -> None:
    """Title, areas, limit and legend of one training call."""
    words(parent, "t", 24, 30, shortened(picture.title, LONGEST), 16, weight="600")
    words(parent, "m", 24, 52, shortened(picture.verdict, LONGEST), 13)
    if picture.curve:
        below = ET.SubElement(parent, "g", {"transform": f"translate(0,{HEIGHT})"})
        bars.draw(below, picture.curve, picture.gpu)
    made = plot(picture.estimate, picture.gpu)
    if made is None:
        return
    axis(parent, AREA, made.top, ticks(made.top))
    for band in range(len(made.bands)):
        if shape := outline(made, band):
            path = ET.SubElement(parent, "path", {"d": shape, "fill": color(made, band)})
            ET.SubElement(path, "title").text = clean(_hover(made, band))
    _phases(parent, made)
    _limit(parent, made, picture)
    _legend(parent, made)


def _hover(made: Plot, band: int) -> str:
    most = max(range(len(made.amounts)), key=lambda column: made.amounts[column][band])
    told, at = made.bands[band], made.moments[most]
    here, peak = made.amounts[most][band], made.amounts[made.peak][band]
    line = f", {told.at}" if told.at else ""
    when = f"{at.phase}, {at.layer}" if at.layer != told.label else at.phase
    return f"{told.label}{line}: {amount(peak)} at the peak" + (
        f", up to {amount(here)} ({when})" if here > peak else "")


def _phases(parent: ET.Element, made: Plot) -> None:
    """A strip under the areas: which layer runs, in the phases of the step."""
    bottom = AREA[1] + AREA[3]
    for place, moment in enumerate(made.moments):
        cell = box(parent, "s2" if place % 2 else "s", "#dde2ea", made.x(place), bottom + 4, made.width, 10)
        line = f", {moment.at}" if moment.at else ""
        total = amount(sum(made.amounts[place]))
        ET.SubElement(cell, "title").text = clean(f"{moment.phase}: {moment.layer}{line}, {total} in all")
    for name, start, end in phases(made):
        stroke(parent, "a", "#8a93a3", made.x(start), bottom + 2, made.x(start), bottom + 20)
        if made.x(end) - made.x(start) > 6 * len(name) + 4:
            words(parent, "m", (made.x(start) + made.x(end)) / 2, bottom + 30, name, 12, anchor="middle")
    stroke(parent, "a", "#8a93a3", made.x(len(made.moments)), bottom + 2, made.x(len(made.moments)), bottom + 20)


def _limit(parent: ET.Element, made: Plot, picture: Picture) -> None:
    left, top, width, _ = AREA
    usable = picture.gpu.usable
    said = f"{amount(usable)} usable on {picture.gpu.name}"
    if usable > made.top:
        words(parent, "lt", left + width, top - 6, f"{said}, above the picture", 12, anchor="end")
    else:
        limit(parent, left, left + width, made.y(usable), said)


def _legend(parent: ET.Element, made: Plot) -> None:
    """What is alive at the peak, the largest in the order in which they are stacked."""
    column = made.amounts[made.peak]
    shown = sorted(sorted(range(len(column)), key=lambda band: -column[band])[:LEGEND], reverse=True)
    shown = [band for band in shown if column[band]]
    left, y = AREA[0] + AREA[2] + 22, AREA[1]
    at = made.moments[made.peak]
    words(parent, "m", left, y - 6, shortened(f"at the peak ({at.phase}, {at.layer})", 40), 11)
    for place, band in enumerate(shown):
        row = y + 8 + place * 20
        box(parent, "", color(made, band), left, row, 11, 11)
        told = made.bands[band]
        line = f" ({told.at})" if told.at and len(told.at) <= len("line 9999") else ""
        words(parent, "t", left + 18, row + 10, shortened(told.label, 26 - len(line)) + line, 12)
        words(parent, "m", WIDTH - 18, row + 10, amount(column[band]), 12, anchor="end")
    if rest := sum(size for band, size in enumerate(column) if band not in shown):
        words(parent, "m", left + 18, y + 18 + len(shown) * 20, "all others", 12)
        words(parent, "m", WIDTH - 18, y + 18 + len(shown) * 20, amount(rest), 12, anchor="end")
