"""A step over time as stacked areas: where each band, each label and the GPU's limit stand in the picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from cudnnlint.memory.estimate import ALLOCATOR, Estimate
from cudnnlint.memory.gpus import GPU
from cudnnlint.memory.timeline import Band, Moment
from cudnnlint.records import record
from cudnnlint.report.memory.timeline import condensed, readable

COLUMNS = 240
AREA = (76.0, 74.0, 640.0, 300.0)
"""Left, top, width and height of where the areas are."""
ROOM = 3.0
"""A limit higher than so many times what is needed is told, and not drawn."""
ALWAYS = {"weights": "#8a93a3", "optimizer": "#a9b1be", "input": "#c3c9d3", "other layers": "#7d8797",
          "allocator": "#d9b38c"}


@record(frozen=True, slots=True)
class Plot:
    """Bytes by band and column, with what the allocator adds as the last band.

    peak  the column of which most is alive; top: bytes at the upper edge
    """

    bands: tuple[Band, ...]
    moments: tuple[Moment, ...]
    amounts: tuple[tuple[int, ...], ...]
    peak: int
    top: float

    @property
    def width(self) -> float:
        """Of one column."""
        return AREA[2] / len(self.moments)

    def x(self, column: int) -> float:
        return AREA[0] + column * self.width

    def y(self, size: float) -> float:
        return AREA[1] + AREA[3] * (1 - size / self.top)


def plot(estimate: Estimate, gpu: GPU) -> Plot | None:
    """None where the step was not followed."""
    told = estimate.timeline
    if told is None:
        return None
    shown = readable(told.moments, told.moments[told.peak])
    moments = tuple(condensed(shown, COLUMNS))
    if moments[-1].phase == "update":
        moments = _with_short_end(moments)
    extra = ALLOCATOR[estimate.regime] - 1
    amounts = tuple((*one.bands, int(one.bytes * extra)) for one in moments)
    most = max(sum(column) for column in amounts)
    peak = next(place for place, column in enumerate(amounts) if sum(column) == most)
    highest = max(most, gpu.usable) if gpu.usable <= most * ROOM else most
    return Plot((*told.bands, Band("allocator")), moments, amounts, peak, max(highest, 1) * 1.08)


def _with_short_end(moments: tuple[Moment, ...]) -> tuple[Moment, ...]:
    """The weights are updated in at most a tenth of the picture."""
    start = max((place for place, one in enumerate(moments) if one.phase != "update"), default=-1) + 1
    return (*moments[:start], *condensed(moments[start:], max(1, start // 10)))


def outline(plot: Plot, band: int) -> str:
    """The area of a band as a path: one piece for each time that it has something."""
    lower = [sum(column[:band]) for column in plot.amounts]
    upper = [below + column[band] for below, column in zip(lower, plot.amounts, strict=True)]
    pieces = []
    for start, end in _runs([column[band] > 0 for column in plot.amounts]):
        there = [f"M{plot.x(start):.1f},{plot.y(upper[start]):.1f}"]
        for column in range(start, end):
            there.append(f"V{plot.y(upper[column]):.1f}H{plot.x(column + 1):.1f}")
        there.append(f"V{plot.y(lower[end - 1]):.1f}")
        for column in range(end - 1, start - 1, -1):
            there.append(f"V{plot.y(lower[column]):.1f}H{plot.x(column):.1f}")
        pieces.append("".join(there) + "Z")
    return "".join(pieces)


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """
    >>> list(_runs([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    start = -1
    for place, flag in enumerate((*flags, False)):
        if flag and start < 0:
            start = place
        elif not flag and start >= 0:
            yield start, place
            start = -1


def phases(plot: Plot) -> Iterator[tuple[str, int, int]]:
    """(name, first column, column after the last). What is updated during the way back is part of it."""
    names = [one.phase for one in plot.moments]
    back = next((place for place, name in enumerate(names) if name != "forward"), len(names))
    ends = max((place for place, name in enumerate(names) if name == "backward"), default=back - 1) + 1
    for name, start, end in (("forward", 0, back), ("backward", back, ends), ("update", ends, len(names))):
        if end > start:
            yield name, start, end


def ticks(top: float) -> tuple[list[float], str, int]:
    """Round numbers of bytes up to the top, their unit, and the decimals that they need.

    >>> [size / 2**30 for size in ticks(13 * 2**30)[0]]
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    """
    unit, factor = next(((name, 1 << shift) for name, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10))
                         if top >= 1 << shift), ("B", 1))
    rough = top / factor / 8
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= rough)
    count = int(top / factor / step)
    return [place * step * factor for place in range(count + 1)], unit, max(0, -math.floor(math.log10(step) + 1e-9))


def color(plot: Plot, band: int) -> str:
    """Grey for what is there all the time; the layers from blue to red as they follow each other."""
    told = plot.bands[band]
    if told.span is None and told.label in ALWAYS:
        return ALWAYS[told.label]
    layers = [place for place, one in enumerate(plot.bands) if one.span is not None or one.label not in ALWAYS]
    place = layers.index(band)
    hue = 215 + 185 * place / max(1, len(layers) - 1)
    return _hex(hue % 360, 0.58, 0.50 if place % 2 else 0.60)


def _hex(hue: float, saturation: float, lightness: float) -> str:
    """Viewers that know no hsl() know this.

    >>> _hex(0, 1.0, 0.5), _hex(120, 1.0, 0.25)
    ('#ff0000', '#008000')
    """
    def part(offset: float) -> int:
        at = (offset + hue / 30) % 12
        value = lightness - saturation * min(lightness, 1 - lightness) * max(-1.0, min(at - 3, 9 - at, 1.0))
        return round(value * 255)

    return f"#{part(0):02x}{part(8):02x}{part(4):02x}"
