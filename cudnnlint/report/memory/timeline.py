"""A step over time as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from cudnnlint.memory.amounts import amount
from cudnnlint.memory.estimate import ALLOCATOR, Estimate
from cudnnlint.memory.gpus import GPU
from cudnnlint.memory.timeline import Moment

ROWS = 48
WIDTH = 40
LONGEST = 36


def timeline(estimate: Estimate, gpu: GPU) -> Iterator[str]:
    """A bar for each layer that runs, and where the GPU ends; of long steps the largest of neighbouring moments."""
    told = estimate.timeline
    if told is None:
        return
    factor = ALLOCATOR[estimate.regime]
    top = told.moments[told.peak]
    most = max(top.bytes * factor, 1)
    limit = round(WIDTH * gpu.usable / most) if gpu.usable < most else WIDTH + 1
    phase = ""
    for moment in condensed(readable(told.moments, top), ROWS):
        size = moment.bytes * factor
        bar = "#" * max(1, round(WIDTH * size / most))
        bar = f"{bar[:limit]:{limit}}|{bar[limit:]}" if limit <= WIDTH else bar
        said = f"  peak of {amount(size)}" if moment is top else ""
        name = moment.layer + (f" ({moment.at})" if moment.at else "")
        shown = name if len(name) <= LONGEST else f"{name[:LONGEST - 3]}..."
        yield f"   {moment.phase if moment.phase != phase else '':9} {shown:{LONGEST}} {amount(size):>9}  {bar}{said}"
        phase = moment.phase


def readable(moments: Sequence[Moment], top: Moment) -> list[Moment]:
    """Without the updates that run between layers of the backward pass; one moment while a layer runs on."""
    last = max((place for place, one in enumerate(moments) if one.phase != "update"), default=0)
    shown = [one for place, one in enumerate(moments) if one.phase != "update" or place > last or one is top]
    together = groupby(shown, key=lambda one: (one.phase, one.layer, one.span))
    return [max(group, key=lambda one: one.bytes) for _, group in together]


def condensed(moments: Sequence[Moment], count: int) -> list[Moment]:
    """At most so many: of neighbours that of which most is alive.

    >>> condensed((), 3)
    []
    """
    step = max(1, -(-len(moments) // count))
    return [max(moments[start:start + step], key=lambda one: one.bytes) for start in range(0, len(moments), step)]
