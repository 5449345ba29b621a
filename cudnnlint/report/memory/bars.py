"""What each batch size needs as a picture: a bar for each under the GPU's limit, the largest that fits among them."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from cudnnlint.memory.amounts import amount
from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.gpus import GPU
from cudnnlint.report.memory.plot import ticks
from cudnnlint.report.memory.strokes import axis, box, clean, limit, words
from cudnnlint.report.memory.tables import rows

HEIGHT = 280
LEFT, TOP, WIDTH, TALL = 76.0, 34.0, 900.0, 190.0
FEW = 14
"""Bars that have room for what is said under them."""
COLORS = {"": "#5b8fd6", "may fit": "#d9a441", "does not fit": "#c95a5a"}
SHORT = {"": "fits", "may fit": "may fit", "does not fit": "too large"}
LARGEST = "#2e9e6b"


def draw(parent: ET.Element, points: Sequence[tuple[int, Estimate]], gpu: GPU) -> None:
    told = rows(points, gpu)
    top = max(1, *(needs for _, needs, _ in told), gpu.usable if gpu.usable < 4 * told[-1][1] else 0) * 1.1
    axis(parent, (LEFT, TOP, WIDTH, TALL), top, ticks(top))
    step = WIDTH / len(told)
    for place, (batch, needs, said) in enumerate(told):
        middle, height = LEFT + (place + 0.5) * step, TALL * needs / top
        bar = box(parent, "", COLORS.get(said, LARGEST), middle - min(28.0, 0.36 * step), TOP + TALL - height,
                  2 * min(28.0, 0.36 * step), height)
        ET.SubElement(bar, "title").text = clean(f"batch {batch:,}: {amount(needs)}, {said or 'fits'}")
        under = (f"{batch:,}", amount(needs), SHORT.get(said, "largest")) if len(told) <= FEW else ()
        for row, text in enumerate(under):
            words(parent, "m" if row else "t", middle, TOP + TALL + 18 + 16 * row, text, 11 if row else 12,
                  anchor="middle")
    words(parent, "m", LEFT - 8, TOP + TALL + 18, "batch size", 11, anchor="end")
    if gpu.usable <= top:
        limit(parent, LEFT, LEFT + WIDTH, TOP + TALL * (1 - gpu.usable / top),
              f"{amount(gpu.usable)} usable on {gpu.name}", first=True)
