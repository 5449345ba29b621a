"""An order in which XLA runs a step: its heavy kernels, what each has alive, and when that is freed."""

from __future__ import annotations

from cudnnlint.memory.simulate import Buffer
from cudnnlint.memory.xla.kept import ZEROS
from cudnnlint.memory.xla.values import HEAVY
from cudnnlint.ops.kernels.tape import Kernel, Size
from cudnnlint.records import record

NOTHING = Size(0)


@record(frozen=True, slots=True)
class Stage:
    """One heavy kernel: what it keeps, and what its gradient has alive besides.

    given    the gradient of what it puts out; working: those of its inputs
    scratch  lies beside all of it
    over     whether that gradient is written over the one that came
    inside   whether it is written over what was put out, which nothing reads after it
    going    of working, what waits for no other stage
    weighs   what the gradient of its weights is made of besides that of its output; None if it trains none
    pending  gradients of values that other stages read too, which wait for this one's
    """

    kernel: Kernel
    kept: tuple[tuple[int, Size], ...]
    extra: Size
    working: tuple[Size, ...]
    given: Size = NOTHING
    pending: tuple[int, int] = (0, 0)
    scratch: Size = NOTHING
    over: bool = False
    inside: bool = False
    going: tuple[Size, ...] = ()
    weighs: frozenset[int] | None = None


@record(frozen=True, slots=True)
class Schedule:
    """The stages in the order of the forward pass; value -> the first that keeps it.

    deep     whether all gradients of activations are made before those of weights
    waiting  what these are made of, which then stays until the end
    until    what is freed with an earlier stage than that which keeps it -> that stage
    """

    stages: list[Stage]
    first: dict[int, int]
    deep: bool
    waiting: frozenset[int]
    until: dict[int, int]

    def own(self, place: int) -> list[tuple[int, Size]]:
        """What a stage keeps that none before it does: by what, and how much."""
        stage = self.stages[place]
        kept = [(index, size) for index, size in dict(stage.kept).items() if self.first[index] == place]
        return [*kept, (ZEROS, stage.extra)]

    def freed(self, place: int) -> list[tuple[Stage, Size]]:
        """What nothing needs once a stage has the gradient of what it puts out, and whose it is."""
        done = self._done(place)
        numbers = range(place, len(self.stages)) if place in self.until.values() else done
        return [(self.stages[number], size) for number in numbers for index, size in self.own(number)
                if index not in self.waiting and (number in done if self.until.get(index, number) >= number
                                                  else self.until[index] == place)]

    def stays_kept(self, index: int, place: int, before: int) -> bool:
        """Whether it is there after the stage that keeps it, at a moment of the way back (memory/xla/alive.py)."""
        until = self.until.get(index, len(self.stages))
        return index in self.waiting or until < place or (bool(before) and until == place)

    def stays(self, place: int) -> Size:
        """The gradient that a stage was given, where that of its weights is made of it in the end."""
        stage = self.stages[place]
        return stage.given if self.deep and stage.weighs is not None else NOTHING

    def left(self) -> list[tuple[int, Buffer]]:
        """What is there when all gradients of activations are made, with the place of the stage whose it is."""
        return [(place, Buffer(*bytes_of(size), stage.kernel)) for place, stage in enumerate(self.stages)
                for size in (*(size for index, size in self.own(place) if index in self.waiting), self.stays(place))]

    def end(self, place: int) -> int:
        """Behind a stage and what is kept of the element-wise chains after it, as the masks of dropouts."""
        return next((number for number in range(place + 1, len(self.stages))
                     if self.stages[number].kernel.kind in HEAVY), len(self.stages))

    def _done(self, place: int) -> range:
        heavy = place == 0 or self.stages[place].kernel.kind in HEAVY
        return range(place, self.end(place) if heavy else place)


def bytes_of(size: Size) -> tuple[int, int]:
    return size.fixed * size.item, size.each * size.item
