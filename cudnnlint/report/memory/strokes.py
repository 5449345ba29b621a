"""What pictures are drawn with: rectangles, lines and texts of SVG, with a class for light and dark and a colour that
viewers without style sheets take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def box(parent: ET.Element, name: str, fill: str, x: float, y: float, width: float, height: float) -> ET.Element:
    return ET.SubElement(parent, "rect", dict(_named(name), x=f"{x:.1f}", y=f"{y:.1f}", width=f"{width:.2f}",
                                              height=f"{height:.1f}", fill=fill))


def stroke(parent: ET.Element, name: str, color: str, x1: float, y1: float, x2: float, y2: float) -> ET.Element:
    return ET.SubElement(parent, "line", dict(_named(name), x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}",
                                              y2=f"{y2:.1f}", stroke=color))


def words(parent: ET.Element, name: str, x: float, y: float, text: str, size: int, *, anchor: str = "start",
          weight: str = "400") -> ET.Element:
    made = ET.SubElement(parent, "text", dict(_named(name), x=f"{x:.1f}", y=f"{y:.1f}"))
    made.attrib |= {"font-size": str(size), "text-anchor": anchor, "font-weight": weight}
    made.text = clean(text)
    return made


def axis(parent: ET.Element, area: tuple[float, float, float, float], top: float,
         ticks: tuple[list[float], str, int]) -> None:
    """Lines across the area (left, top, width, height) for round numbers of bytes, `top` at its upper edge."""
    left, upper, width, height = area
    sizes, unit, decimals = ticks
    scale = {"B": 0, "KiB": 10, "MiB": 20, "GiB": 30}[unit]
    for size in sizes:
        y = upper + height * (1 - size / top)
        stroke(parent, "g" if size else "a", "#d7dbe2", left, y, left + width, y)
        words(parent, "m", left - 8, y + 4, f"{size / 2**scale:,.{decimals}f} {unit}", 11, anchor="end")


def limit(parent: ET.Element, left: float, right: float, y: float, said: str, *, first: bool = False) -> None:
    """A broken line with its label at the right end, or the left one, readable on any colour."""
    behind = stroke(parent, "h", "#ffffff", left, y, right, y)
    behind.attrib |= {"stroke-width": "4", "stroke-opacity": "0.75"}
    drawn = stroke(parent, "l", "#c62828", left, y, right, y)
    drawn.attrib |= {"stroke-width": "1.8", "stroke-dasharray": "6 4"}
    label = words(parent, "lt h", left + 4 if first else right, y - 6, said, 12, anchor="start" if first else "end")
    label.attrib |= {"stroke": "#ffffff", "stroke-width": "3", "paint-order": "stroke", "stroke-linejoin": "round"}


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
