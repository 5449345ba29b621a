"""The memory of a program's training calls as one HTML page: pictures and numbers, no scripts, nothing from the net."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from cudnnlint.memory.amounts import amount
from cudnnlint.report.memory.picture import FONT, STYLE, WIDTH, Picture, draw
from cudnnlint.report.memory.strokes import clean
from cudnnlint.report.memory.text import fitting, layers, notes, terms

PAGE = f"""
:root{{color-scheme:light dark}}
body{{font:15px/1.5 {FONT};margin:0 auto;max-width:{WIDTH + 40}px;padding:16px 20px;background:#ffffff;color:#1f2430}}
section{{margin:0 0 40px}}svg{{max-width:100%;height:auto}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0 40px 12px 0;display:inline-table;
vertical-align:top}}
caption{{text-align:left;font-weight:600;padding:2px 0}}
td{{padding:2px 16px 2px 0;border-top:1px solid #d7dbe2}}td:last-child{{text-align:right;padding-right:0}}
p{{margin:4px 0;color:#5b6472;overflow-wrap:anywhere}}
@media (prefers-color-scheme:dark){{body{{background:#15181e;color:#e8eaf0}}td{{border-color:#2c323c}}
p{{color:#a4acb9}}}}
"""


def page(pictures: Sequence[Picture]) -> str:
    """One section a training call."""
    root = ET.Element("html", {"lang": "en"})
    head, body = ET.SubElement(root, "head"), ET.SubElement(root, "body")
    ET.SubElement(head, "meta", {"charset": "utf-8"})
    ET.SubElement(head, "meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"})
    ET.SubElement(head, "title").text = "cudnnlint memory"
    ET.SubElement(head, "style").text = PAGE + STYLE
    for picture in pictures:
        _section(body, picture)
    if not pictures:
        ET.SubElement(body, "p").text = "no training calls and no models that could be followed"
    return "<!DOCTYPE html>\n" + ET.tostring(root, encoding="unicode", method="html") + "\n"


def _section(body: ET.Element, picture: Picture) -> None:
    section = ET.SubElement(body, "section")
    drawing = ET.SubElement(section, "svg", {
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {picture.height}", "width": str(WIDTH),
        "height": str(picture.height), "role": "img", "aria-label": clean(f"{picture.title}: {picture.verdict}")})
    draw(drawing, picture)
    made = picture.estimate
    whole = [] if made.lower_bound else [("all", amount(made.needs()))]
    _table(section, "what it needs", [*terms(made), *whole])
    _table(section, "layers at the peak", layers(made, 10))
    for text in (f"fits: {fitting(made, picture.gpu, picture.mixed)}", *notes(made, picture.gpu)):
        ET.SubElement(section, "p").text = clean(text)


def _table(section: ET.Element, title: str, rows: Iterable[tuple[str, str]]) -> None:
    rows = list(rows)
    if not rows:
        return
    table = ET.SubElement(section, "table")
    ET.SubElement(table, "caption").text = title
    for name, value in rows:
        row = ET.SubElement(table, "tr")
        ET.SubElement(row, "td").text = clean(name)
        ET.SubElement(row, "td").text = value
