"""Which GPUs a program lets grow, in all: TensorFlow asks that of all of them together as it takes hold of them."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Event
from cudnnlint.interp.machine import Machine
from cudnnlint.source import Span

KEY = "memory growth"


class Growth:
    """What was set so far, wherever in the program; told at the end of the analysis.

    places   number of a GPU -> the event for it
    seen     numbers of the GPUs that the program sees, where it chose some
    settled  all GPUs were treated alike, some were hidden, or which ones is not known
    """

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.places: dict[int, Event] = {}
        self.seen: frozenset[int] | None = None
        self.settled = False

    def __call__(self) -> None:
        uneven = len(self.places) == 1 if self.seen is None else 0 < len(self.seen & set(self.places)) < len(self.seen)
        if not self.settled and uneven:
            for event in list(self.places.values())[:1]:
                self.m.emit(event)


def growth_of(m: Machine) -> Growth:
    known = m.endings.get(KEY)
    if not isinstance(known, Growth):
        known = m.endings[KEY] = Growth(m)
    return known


def settled(m: Machine) -> None:
    """All GPUs are treated alike, or nobody knows which ones the program sees."""
    growth_of(m).settled = True


def chosen(m: Machine, places: list[Any]) -> None:
    """The program sees these GPUs from here on."""
    known, seen = growth_of(m), frozenset(place for place in places if type(place) is int)
    if len(seen) < max(2, len(places)) or known.seen not in (None, seen):
        known.settled = True
    known.seen = seen


def grown(m: Machine, kind: str, place: Any, enable: Any, span: Span) -> None:
    """`set_memory_growth` was called for one GPU, or for each of them."""
    if enable is False:
        return
    if kind == "GPU" and type(place) is int and enable is True:
        from cudnnlint.events.devices import GrowthUneven

        growth_of(m).places.setdefault(place, m.event(GrowthUneven, span, place=place))
    else:
        settled(m)
