"""An order in which XLA runs a step: its heavy kernels, what each has alive, and when that is freed."""

from __future__ import annotations

from cudnnlint.memory.simulate import Buffer
from cudnnlint.memory.xla.kept import ZEROS
from cudnnlint.memory.xla.values import HEAVY
from cudnnlint.ops.kernels.tape import Kernel, Size
from cudnnlint.records import record

NOTHING = Size(0)
WORKSPACE = Size(4 << 20, 0, 1)
"""What cuBLASLt is given for a product, 32 MiB on Hopper (xla/service/gpu/transforms/gemm_rewriter.cc:
GemmWorkspaceRewriteVisitor), while it runs."""


@record(frozen=True, slots=True)
class Stage:
    """One heavy kernel: what it keeps, and what its gradient has alive besides.

    given    the gradient of what it puts out; working: those of its inputs
    scratch  lies beside all of it
    over     whether that gradient is written over the one that came
    inside   whether it is written over what was put out, which nothing reads after it
    goes     of working, what waits for no other stage, if not all
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
    goes: tuple[Size, ...] | None = None
    weighs: frozenset[int] | None = None

    @property
    def going(self) -> tuple[Size, ...]:
        """Of what its gradient has made, what is gone once the next one has read it."""
        return self.working if self.goes is None else self.goes

    def beside(self, pending: tuple[int, int], goes: tuple[Size, ...] | None) -> Stage:
        """The same while such gradients wait."""
        return Stage(self.kernel, self.kept, self.extra, self.working, self.given, pending, self.scratch, self.over,
                     self.inside, goes, self.weighs)


@record(frozen=True, slots=True)
class Schedule:
    """The stages in the order of the forward pass; value -> the first that keeps it.

    deep     whether all gradients of activations are made before those of weights
    waiting  what these are made of, which then stays until the end
    until    what is freed with an earlier stage than that which keeps it -> that stage
    owned    own() of each stage, and ends: end() of each
    crowded  stages that have the scratch of products beside them
    """

    stages: list[Stage]
    first: dict[int, int]
    deep: bool
    waiting: frozenset[int]
    until: dict[int, int]
    owned: list[list[tuple[int, Size]]]
    ends: list[int]
    crowded: frozenset[int] = frozenset()

    def own(self, place: int) -> list[tuple[int, Size]]:
        """What a stage keeps that none before it does: by what, and how much."""
        return self.owned[place]

    def freed(self, place: int) -> list[tuple[Stage, Size]]:
        """What nothing needs once a stage has the gradient of what it puts out, and whose it is."""
        done = self._done(place)
        if not self.until and not self.waiting:
            return [(self.stages[number], size) for number in done for _, size in self.owned[number]]
        numbers = range(place, len(self.stages)) if self.until and place in self.until.values() else done
        return [(self.stages[number], size) for number in numbers for index, size in self.owned[number]
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
                for size in (*(size for index, size in self.owned[place] if index in self.waiting), self.stays(place))]

    def scratch(self, place: int) -> Size:
        """What lies beside a stage while it runs."""
        scratch = self.stages[place].scratch
        return scratch if place not in self.crowded else Size(scratch.fixed + WORKSPACE.fixed, scratch.each, 1)

    def end(self, place: int) -> int:
        """Behind a stage and what is kept of the element-wise chains after it, as the masks of dropouts."""
        return self.ends[place]

    def _done(self, place: int) -> range:
        heavy = place == 0 or self.stages[place].kernel.kind in HEAVY
        return range(place, self.ends[place] if heavy else place)


def scheduled(stages: list[Stage], first: dict[int, int], deep: bool, waiting: frozenset[int],
              until: dict[int, int]) -> Schedule:
    owned = [[*((index, size) for index, size in dict(stage.kept).items() if first[index] == place),
              (ZEROS, stage.extra)] for place, stage in enumerate(stages)]
    return Schedule(stages, first, deep, waiting, until, owned, _ends(stages))


def _ends(stages: list[Stage]) -> list[int]:
    """Of each stage the place of the next one that is a convolution, a product or the like."""
    found, end = [0] * len(stages), len(stages)
    for place in range(len(stages) - 1, -1, -1):
        found[place] = end
        end = place if stages[place].kernel.kind in HEAVY else end
    return found


def bytes_of(size: Size) -> tuple[int, int]:
    return size.fixed * size.item, size.each * size.item
