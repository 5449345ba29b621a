"""A step over time: what each layer has alive while the layers run, forwards, backwards and as weights are updated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cudnnlint.records import record
from cudnnlint.source import Span

PHASES = ("forward", "backward", "update")
BANDS = 40
"""Layers that are told apart, those with most at any time; the others are one band."""
OTHERS = "other layers"


@record(frozen=True, slots=True)
class Band:
    """What is told apart: a layer, or what is there all the time (weights, optimizer, input)."""

    label: str
    span: Span | None = None
    at: str = ""


@record(frozen=True, slots=True)
class Moment:
    """While one layer runs: the requested bytes of each band when most is alive."""

    phase: str
    layer: str
    span: Span | None
    bands: tuple[int, ...]
    at: str = ""

    @property
    def bytes(self) -> int:
        return sum(self.bands)


@record(frozen=True, slots=True)
class Timeline:
    bands: tuple[Band, ...]
    moments: tuple[Moment, ...]

    @property
    def peak(self) -> int:
        """Which moment has most alive."""
        return max(range(len(self.moments)), key=lambda place: self.moments[place].bytes)


@record(frozen=True, slots=True)
class Change:
    """Bytes that come to `owner`, a layer's number, or go, while a layer runs."""

    phase: int
    runs: int
    owner: int
    bytes: int


def timeline(changes: Sequence[Change], layers: Sequence[Band], base: Sequence[tuple[str, int]]) -> Timeline:
    """`layers` by number, 0 for what belongs to none; `base`: what is alive all the time."""
    chosen = sorted(_largest(changes, BANDS))
    place = {owner: len(base) + index for index, owner in enumerate(chosen)}
    rest = len(base) + len(chosen)
    bands = [*(Band(name) for name, _ in base), *(_named(layers, owner) for owner in chosen), Band(OTHERS)]
    alive = [*(size for _, size in base), *(0 for _ in chosen), 0]
    moments: list[Moment] = []
    for phase, runs, group in _together(changes):
        best, most, total = tuple(alive), sum(alive), sum(alive)
        for change in group:
            alive[place.get(change.owner, rest)] += change.bytes
            total += change.bytes
            if total > most:
                best, most = tuple(alive), total
        running = _named(layers, runs)
        moments.append(Moment(PHASES[phase], running.label, running.span, best))
    if not moments:
        moments.append(Moment(PHASES[0], "", None, tuple(alive)))
    return _without_empty(Timeline(tuple(bands), tuple(moments)))


def _largest(changes: Iterable[Change], count: int) -> list[int]:
    """The layers that have most alive at any time."""
    alive: dict[int, int] = {}
    most: dict[int, int] = {}
    for change in changes:
        now = alive[change.owner] = alive.get(change.owner, 0) + change.bytes
        most[change.owner] = max(most.get(change.owner, 0), now)
    return sorted(most, key=lambda owner: (-most[owner], owner))[:count]


def _named(layers: Sequence[Band], number: int) -> Band:
    return layers[number] if number and number < len(layers) else Band("loss")


def _together(changes: Sequence[Change]) -> Iterator[tuple[int, int, Sequence[Change]]]:
    """Changes of one layer's run after another."""
    start = 0
    for end in range(1, len(changes) + 1):
        first = changes[start]
        if end == len(changes) or (changes[end].phase, changes[end].runs) != (first.phase, first.runs):
            yield first.phase, first.runs, changes[start:end]
            start = end


def _without_empty(told: Timeline) -> Timeline:
    used = [index for index in range(len(told.bands)) if any(moment.bands[index] for moment in told.moments)]
    return Timeline(tuple(told.bands[index] for index in used), tuple(
        Moment(one.phase, one.layer, one.span, tuple(one.bands[index] for index in used)) for one in told.moments))
