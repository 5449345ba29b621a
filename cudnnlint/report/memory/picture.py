"""The memory of a step as a picture: areas by layer over the step and the GPU's limit, one SVG without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from cudnnlint.memory.amounts import amount
from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.gpus import GPU
from cudnnlint.report.memory.plot import AREA, Plot, color, outline, phases, plot, ticks

WIDTH, HEIGHT = 1000, 440
LEGEND, LONGEST = 14, 110
STYLE = """
.bg{fill:#ffffff}.t{fill:#1f2430}.m{fill:#5b6472}.g{stroke:#d7dbe2}.a{stroke:#8a93a3}.l{stroke:#c62828}.lt{fill:#c62828}
.s{fill:#eceff4}.s2{fill:#dde2ea}.h{stroke:#ffffff}
@media (prefers-color-scheme:dark){.bg{fill:#15181e}.t{fill:#e8eaf0}.m{fill:#a4acb9}.g{stroke:#2c323c}.a{stroke:#6b7482}
.l{stroke:#ff7b72}.lt{fill:#ff7b72}.s{fill:#232831}.s2{fill:#2f3641}.h{stroke:#15181e}}
"""
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Picture:
    """A training call: its title, what is said under it, the estimate on a GPU, and that in mixed precision."""

    title: str
    verdict: str
    estimate: Estimate
    gpu: GPU
    mixed: Estimate | None = None


def svg(pictures: Sequence[Picture]) -> str:
    """One file, one picture under the other."""
    height = HEIGHT * max(1, len(pictures))
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "width": str(WIDTH), "height": str(height),
                              "viewBox": f"0 0 {WIDTH} {height}", "font-family": FONT})
    ET.SubElement(root, "style").text = STYLE
    _rect(root, "bg", "#ffffff", 0, 0, WIDTH, height)
    for place, picture in enumerate(pictures):
        group = ET.SubElement(root, "g", {"transform": f"translate(0,{place * HEIGHT})"})
        draw(group, picture)
    if not pictures:
        _text(root, "t", 24, 60, "no training calls and no models found", 16)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def draw(parent: ET.Element, picture: Picture) -> None:
    """Title, areas, limit and legend of one training call."""
    _text(parent, "t", 24, 30, shortened(picture.title, LONGEST), 16, weight="600")
    _text(parent, "m", 24, 52, shortened(picture.verdict, LONGEST), 13)
    made = plot(picture.estimate, picture.gpu)
    if made is None:
        return
    _grid(parent, made)
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


def _grid(parent: ET.Element, made: Plot) -> None:
    left, _, width, _ = AREA
    sizes, unit, decimals = ticks(made.top)
    scale = {"GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10, "B": 1}[unit]
    for size in sizes:
        _line(parent, "g" if size else "a", "#d7dbe2", left, made.y(size), left + width, made.y(size))
        _text(parent, "m", left - 8, made.y(size) + 4, f"{size / scale:.{decimals}f} {unit}", 11, anchor="end")


def _phases(parent: ET.Element, made: Plot) -> None:
    """A strip under the areas: which layer runs, in the phases of the step."""
    bottom = AREA[1] + AREA[3]
    for place, moment in enumerate(made.moments):
        cell = _rect(parent, "s2" if place % 2 else "s", "#dde2ea", made.x(place), bottom + 4, made.width, 10)
        line = f", {moment.at}" if moment.at else ""
        total = amount(sum(made.amounts[place]))
        ET.SubElement(cell, "title").text = clean(f"{moment.phase}: {moment.layer}{line}, {total} in all")
    for name, start, end in phases(made):
        _line(parent, "a", "#8a93a3", made.x(start), bottom + 2, made.x(start), bottom + 20)
        if made.x(end) - made.x(start) > 6 * len(name) + 4:
            _text(parent, "m", (made.x(start) + made.x(end)) / 2, bottom + 30, name, 12, anchor="middle")
    _line(parent, "a", "#8a93a3", made.x(len(made.moments)), bottom + 2, made.x(len(made.moments)), bottom + 20)


def _limit(parent: ET.Element, made: Plot, picture: Picture) -> None:
    left, top, width, _ = AREA
    usable = picture.gpu.usable
    said = f"{amount(usable)} usable on {picture.gpu.name}"
    if usable > made.top:
        _text(parent, "lt", left + width, top - 6, f"{said}, above the picture", 12, anchor="end")
        return
    behind = _line(parent, "h", "#ffffff", left, made.y(usable), left + width, made.y(usable))
    behind.attrib |= {"stroke-width": "4", "stroke-opacity": "0.75"}
    line = _line(parent, "l", "#c62828", left, made.y(usable), left + width, made.y(usable))
    line.attrib |= {"stroke-width": "1.8", "stroke-dasharray": "6 4"}
    label = _text(parent, "lt h", left + width, made.y(usable) - 6, said, 12, anchor="end")
    label.attrib |= {"stroke": "#ffffff", "stroke-width": "3", "paint-order": "stroke", "stroke-linejoin": "round"}


def _legend(parent: ET.Element, made: Plot) -> None:
    """What is alive at the peak, the largest in the order in which they are stacked."""
    column = made.amounts[made.peak]
    shown = sorted(sorted(range(len(column)), key=lambda band: -column[band])[:LEGEND], reverse=True)
    shown = [band for band in shown if column[band]]
    left, y = AREA[0] + AREA[2] + 22, AREA[1]
    at = made.moments[made.peak]
    _text(parent, "m", left, y - 6, shortened(f"at the peak ({at.phase}, {at.layer})", 40), 11)
    for place, band in enumerate(shown):
        row = y + 8 + place * 20
        _rect(parent, "", color(made, band), left, row, 11, 11)
        told = made.bands[band]
        line = f" ({told.at})" if told.at and len(told.at) <= len("line 9999") else ""
        _text(parent, "t", left + 18, row + 10, shortened(told.label, 26 - len(line)) + line, 12)
        _text(parent, "m", WIDTH - 18, row + 10, amount(column[band]), 12, anchor="end")
    if rest := sum(size for band, size in enumerate(column) if band not in shown):
        _text(parent, "m", left + 18, y + 18 + len(shown) * 20, "all others", 12)
        _text(parent, "m", WIDTH - 18, y + 18 + len(shown) * 20, amount(rest), 12, anchor="end")


def _rect(parent: ET.Element, name: str, fill: str, x: float, y: float, width: float, height: float) -> ET.Element:
    return ET.SubElement(parent, "rect", dict(_named(name), x=f"{x:.1f}", y=f"{y:.1f}", width=f"{width:.2f}",
                                              height=f"{height:.1f}", fill=fill))


def _line(parent: ET.Element, name: str, stroke: str, x1: float, y1: float, x2: float, y2: float) -> ET.Element:
    return ET.SubElement(parent, "line", dict(_named(name), x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}",
                                              y2=f"{y2:.1f}", stroke=stroke))


def _text(parent: ET.Element, name: str, x: float, y: float, text: str, size: int, *, anchor: str = "start",
          weight: str = "400") -> ET.Element:
    made = ET.SubElement(parent, "text", dict(_named(name), x=f"{x:.1f}", y=f"{y:.1f}"))
    made.attrib |= {"font-size": str(size), "text-anchor": anchor, "font-weight": weight}
    made.text = clean(text)
    return made


def _named(name: str) -> Iterator[tuple[str, str]]:
    if name:
        yield "class", name


def clean(text: str) -> str:
    """Without what XML cannot hold: names come from the program."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text).replace("\n", " ")


def shortened(text: str, count: int) -> str:
    """
    >>> shortened("block_3_expand_depthwise", 12)
    'block_3_exp…'
    """
    return text if len(text) <= count else f"{text[:max(1, count - 1)]}…"
