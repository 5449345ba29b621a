"""Estimates with places as people read them: notebook cells, and files where they are others."""

from __future__ import annotations

from dataclasses import replace

from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.places import at
from cudnnlint.source import Source


def located(made: Estimate, home: Source) -> Estimate:
    """What stands in another file than `home`, or in a cell of it, says so."""
    layers = tuple(replace(share, at=at(share.span, home)) for share in made.layers)
    told = made.timeline
    if told is not None:
        told = replace(told, bands=tuple(replace(band, at=at(band.span, home)) for band in told.bands),
                       moments=tuple(replace(one, at=at(one.span, home)) for one in told.moments))
    return replace(made, layers=layers, timeline=told)
