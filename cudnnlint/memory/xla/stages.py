"""The heavy kernels of a step that XLA compiles: what each keeps for the way back, and what its gradient has alive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from cudnnlint.memory.xla.abreast import abreast, beforehand
from cudnnlint.memory.xla.attended import is_scored
from cudnnlint.memory.xla.convolved import is_added, is_crossed, is_cut, is_moved, largest_marked, swapped
from cudnnlint.memory.xla.dilated import copied_with, moved_back, waiting, waiting_beside
from cudnnlint.memory.xla.frozen import frozen, waits_until
from cudnnlint.memory.xla.gathered import is_gathered, passing
from cudnnlint.memory.xla.joined import SIGNS, blocks
from cudnnlint.memory.xla.kept import STORED, read, stored
from cudnnlint.memory.xla.padded import is_again_padded, pooled_again
from cudnnlint.memory.xla.pools import (
    INDEX,
    INDICES,
    after_leaky,
    has_late_zeros,
    indexed,
    is_again,
    is_beside,
    is_compared,
    is_concat,
    is_copied,
    is_copied_early,
    is_joined,
    is_late,
    is_lent,
    is_padded,
    is_shared,
    is_told_apart,
    is_told_late,
    of_indices,
    outweighed,
    pooled_directly,
    shared,
)
from cudnnlint.memory.xla.postponed import postponed
from cudnnlint.memory.xla.schedule import NOTHING, WORKSPACE, Schedule, Stage, bytes_of, scheduled
from cudnnlint.memory.xla.updates import as_joined, early, given, pending, waits
from cudnnlint.memory.xla.values import ALIKE, ENDING, HEAVY, is_multiplied, origin, turned
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Size, Tape, Value
from cudnnlint.records import record

NONE = 0, 0


def schedules(tape: Tape, batch: int) -> Iterator[Schedule]:
    """The orders that XLA tries, of which it takes the one with the least at its peak (xla/hlo/transforms/simplifiers/
    hlo_memory_scheduler.cc: DefaultMemoryScheduler): always what frees most or adds least, and depth first. Where
    gradients are summed over steps and clipped by the norm of all of them, one kernel sums up the norms, and reads that
    of the last layer first: then also as operands are read (PostOrderScheduler), in which gradients of weights are made
    on the way back."""
    found = _found(tape, batch)
    yield _ordered(found, deep=False)
    yield _ordered(found, deep=True)
    if tape.normed:
        yield _ordered(found, deep=True, behind=False)


def stages_of(tape: Tape, batch: int) -> Schedule:
    """The stages in the order of the forward pass, for the first of the orders."""
    return _ordered(_found(tape, batch), deep=False)


@record(slots=True)
class _Found:
    """What is the same in every order.

    kept     by kernels that are no convolutions or products, by id; held: by what convolutions and products take
    passing  what sums of many parts add up, by id
    scratch  what is there all the way
    lasting  what is put out where nothing is trained and waits -> until when
    several  gradients that wait for others, and what is kept `until` an earlier stage
    stages   those that are the same depth first, by the id of the kernel
    """

    tape: Tape
    batch: int
    kept: Mapping[int, tuple[tuple[int, Size], ...]]
    held: set[int]
    passing: Mapping[int, list[Size]]
    scratch: Size
    lasting: Mapping[int, int]
    several: list[tuple[int, int, Value, int]]
    until: dict[int, int]
    kernels: list[Kernel]
    stages: dict[int, Stage] = field(default_factory=dict)

    def stage(self, kernel: Kernel, deep: bool) -> Stage:
        """Max-pools alone are another stage depth first, and what is written over."""
        if kernel.kind == "max_pool":
            return _stage(self, kernel, deep)
        if (known := self.stages.get(id(kernel))) is None:
            kept = self.kept.get(id(kernel))
            self.stages[id(kernel)] = known = _stage(self, kernel, deep=False) if kept is None else Stage(
                kernel, kept, NOTHING, (), scratch=_sum(self.scratch, *self.passing.get(id(kernel), ())))
        return replace(known, inside=False) if deep and known.inside else known


def _found(tape: Tape, batch: int) -> _Found:
    forward = [kernel for kernel in tape.kernels if kernel.phase == FORWARD]
    scratch = _sum(Size(*tape.together, 1), *early(tape, forward, batch))
    kept = {id(kernel): values for kernel in forward if kernel.kind in STORED
            and (values := stored(tape, kernel, batch))}
    sums = [kernel for kernel in forward if is_gathered(tape, kernel) and id(kernel) not in kept]
    kept.update((id(kernel), ((kernel.output.index, kernel.output.size),)) for kernel in sums)
    held = {index for values in kept.values() for index, _ in values}
    held.update(origin(tape, value).index for kernel in forward if kernel.kind in ENDING
                for value in kernel.inputs[kernel.output.index in tape.padded or is_again_padded(tape, kernel):])
    brought = {id(kernel): [value.size for value in passing(tape, kernel, held)] for kernel in sums}
    kernels = [kernel for kernel in forward if kernel.kind in HEAVY or id(kernel) in kept]
    kernels = abreast(tape, beforehand(tape, kernels, batch))
    several, until = blocks(tape, kernels, waits(tape, kernels))
    return _Found(tape, batch, kept, held, brought, scratch, waits_until(tape), as_joined(tape, several), until,
                  kernels)


def _ordered(found: _Found, *, deep: bool, behind: bool | None = None) -> Schedule:
    """`behind`: whether gradients of weights come last, as depth first they do."""
    behind = deep if behind is None else behind
    tape, kernels = found.tape, found.kernels
    stages = [found.stage(kernel, deep) for kernel in kernels]
    stages = [postponed(tape, stage) for stage in stages] if deep and not behind else stages
    late = [(0, 0)] * len(kernels) if deep else waiting(tape, kernels)
    more = waiting_beside(tape, kernels, deep=deep)
    begun: dict[int, set[int]] = {}
    for _, place, value, _ in found.several:
        begun.setdefault(place, set()).add(value.index)
    alive = [(one[0] + two[0] + three[0], one[1] + two[1] + three[1])
             for one, two, three in zip(pending(found.several, len(stages)), late, more, strict=True)]
    for place, stage in enumerate(stages):
        goes = _goes(tape, stage, begun[place]) if place in begun else None
        if goes is not None or alive[place] != NONE:
            stages[place] = stage.beside(alive[place], goes)
    first: dict[int, int] = {}
    for place, stage in enumerate(stages):
        for index, _ in stage.kept:
            first.setdefault(index, place)
    stages = _at_once(tape, stages)
    weighs = frozenset(index for stage in stages if stage.weighs for index in stage.weighs)
    return scheduled(stages, first, behind, weighs if behind else frozenset(), found.until)


def _stage(same: _Found, kernel: Kernel, deep: bool) -> Stage:
    tape, scratch, held, lasting, batch = same.tape, same.scratch, same.held, same.lasting, same.batch
    taken = kernel.inputs[:1] if kernel.kind == "max_pool" else kernel.inputs[kernel.kind == "rows":]
    if not kernel.output.trained:
        return frozen(tape, kernel, scratch, lasting)
    if (steps := tape.looped.get(kernel.output.index)) is not None:
        return _looped(tape, kernel, steps, scratch)
    pooled = kernel.kind == "max_pool"
    if pooled and (alone := _pooled(tape, kernel, scratch, batch, deep)) is not None:
        return alone
    gone = pooled or is_scored(tape, kernel, batch) or is_added(tape, kernel)
    found = None if gone else read(tape, kernel, held)
    origins = [*(turned(tape, kernel, one) for one in taken), *((origin(tape, found),) if found is not None else ())]
    idle = _idle(kernel, origins)
    if kernel.kind == "convolve":  # cuDNN wants another layout of the kernel, and of the batch
        # one that a regularizer reads is turned at once with all that is kept of it, in whose memory its copy lies
        needed = taken[0].trained and origins[1].index not in tape.penalized
        origins = [one for one in origins if not one.held or one is not origins[1] or needed]
        again = origin(tape, taken[0]).index if is_again_padded(tape, kernel) else None
        scratch = scratch if again is None else _sum(scratch, tape.repadded[kernel.output.index])
        scratch = _sum(scratch, swapped(tape, kernel))
        origins = [one for one in (*(pooled_again(tape, kernel) if again is not None else ()), *origins)
                   if one.index != again]
    else:
        origins = [one for one in origins if not one.held]
    origins = [one for one in origins if one.index not in idle]
    told = pooled and is_told_apart(tape, kernel)
    signs = [told or (found is not None and one is found and is_moved(tape, one)) for one in origins]
    kept = tuple((shared(tape, kernel, deep=deep) if pooled else one.index,
                  one.size.of(1) if sign else tape.sliced.get(one.index, one.size))
                 for one, sign in zip(origins, signs, strict=True))
    if (copied := tape.padded.get(kernel.output.index)) is not None and not idle:
        kept = ((-1 - kernel.output.index, copied), *(one for one in kept if one[0] != origins[0].index))
    extra = kernel.inputs[0].size if pooled else NOTHING  # zeros that the gradients of its largest are added to
    working = [value.size for value in taken if value.trained and not value.held]
    brought = indexed(kernel) if pooled else given(tape, kernel)
    if pooled and is_shared(tape, kernel):
        brought = _sum(brought, kernel.inputs[0].size)
    if pooled and not deep and is_copied(tape, kernel, batch):
        extra, working, brought = _sum(extra, extra), [], kernel.output.size
    elif pooled and not deep and outweighed(tape, kernel, index := kernel.output.size.of(INDEX).times(INDICES), batch):
        extra, brought = _sum(extra, index), kernel.output.size
    over = is_cut(tape, kernel)
    if is_multiplied(kernel):
        scratch = _sum(scratch, WORKSPACE)
    kept += copied_with(tape, kernel)
    beside = (moved_back(tape, kernel), largest_marked(tape, kernel), kernel.output.size.of(1) if over else NOTHING,
              kernel.output.size if is_crossed(tape, kernel) else NOTHING)
    if pooled and ((deep and is_late(tape, kernel)) or is_beside(tape, kernel)
                   or (told and has_late_zeros(tape, kernel, batch))):
        extra, brought = NOTHING, _sum(extra, brought)
    inside = not deep and found is not None and found is not kernel.output and found.size == brought
    weighs = frozenset(index for index, _ in kept if not found or index != origins[-1].index)
    return Stage(kernel, kept, extra, tuple(working), brought, scratch=_sum(scratch, *beside), over=over,
                 inside=inside,
                 weighs=weighs if any(value.held and value.trained for value in kernel.inputs) else None)


def _idle(kernel: Kernel, origins: list[Value]) -> set[int]:
    """Of what a convolution or product takes, what no gradient reads: that of the other operand is not asked for."""
    if kernel.kind not in ("contract", "convolve") or len(kernel.inputs) != 2:
        return set()
    read = {one.index for one, other in zip(origins[:2], kernel.inputs[::-1], strict=True) if other.trained}
    return {one.index for one in origins[:2] if one.index not in read | {each.index for each in origins[2:]}}


def _at_once(tape: Tape, stages: list[Stage]) -> list[Stage]:
    """With where the largest were of max-pools that share the zeros of a ReLU: one kernel computes it of all of them,
    when the last of them needs it, but of what was normalised before."""
    groups: dict[int, list[int]] = {}
    for place, stage in enumerate(stages):
        if stage.kernel.kind == "max_pool" and stage.kept and not is_late(tape, stage.kernel):
            groups.setdefault(stage.kept[0][0], []).append(place)
    for places in (found for found in groups.values() if len(found) > 1):
        for one in places[:-1]:
            out = stages[one].kernel.output.size
            fixed, each = bytes_of(_sum(out, out.of(INDEX).times(INDICES)))
            if stages[one].given == out:  # it was computed on the way forward
                continue
            for place in range(one + 1, places[-1] + 1):
                told = stages[place].pending
                stages[place] = replace(stages[place], pending=(told[0] + fixed, told[1] + each))
    return stages


def _goes(tape: Tape, stage: Stage, begun: set[int]) -> tuple[Size, ...] | None:
    """Of what its gradient has made, what is gone once the next one has read it: all but what waits for others."""
    taken = [value for value in stage.kernel.inputs if value.trained and not value.held]
    if len(taken) != len(stage.working):
        return None
    return tuple(size for value, size in zip(taken, stage.working, strict=True) if not _is_of(tape, value, begun))


def _is_of(tape: Tape, value: Value, found: set[int]) -> bool:
    """Whether it is one of these, but for how it is looked at."""
    while value.index not in found and value.made >= 0 and tape.kernels[value.made].kind in ALIKE:
        value = tape.kernels[value.made].inputs[0]
    return value.index in found


def _looped(tape: Tape, kernel: Kernel, steps: Size, scratch: Size) -> Stage:
    """A loop over time: lists of what its steps keep, its inputs, in the order of time and as a list of theirs, and the
    scratch of the products in it."""
    index, inputs = kernel.output.index, kernel.inputs[0]
    put_out = max((reader.output.size for reader in tape.readers(index)), key=bytes_of, default=NOTHING)
    return Stage(kernel, ((index, steps), (-1 - index, inputs.size.times(2))), NOTHING, (), put_out,
                 scratch=_sum(scratch, WORKSPACE))


def _pooled(tape: Tape, kernel: Kernel, scratch: Size, batch: int, deep: bool) -> Stage | None:
    """A max-pool that does not keep what it takes; None for any other."""
    if is_joined(tape, kernel):
        index = kernel.output.size.of(INDEX).times(INDICES)
        if not deep and outweighed(tape, kernel, index, batch):
            return Stage(kernel, (), index, (kernel.inputs[0].size,), kernel.output.size, scratch=scratch)
        return Stage(kernel, (), NOTHING, (kernel.inputs[0].size, index), kernel.output.size, scratch=scratch)
    if (direct := pooled_directly(tape, kernel)) is not None:
        index = kernel.output.size.of(INDEX).times(INDICES)
        own = (direct.index, direct.size)
        return Stage(kernel, (own,), NOTHING, (kernel.inputs[0].size, index), kernel.output.size, scratch=scratch)
    if (leaky := after_leaky(tape, kernel)) is not None:
        signs, line = (SIGNS - leaky.output.index, leaky.output.size.of(1)), kernel.output.index in tape.lines
        return Stage(kernel, (signs,), NOTHING if line else kernel.inputs[0].size, (kernel.inputs[0].size,),
                     of_indices(kernel) if line else indexed(kernel), scratch=scratch)
    if deep and is_lent(tape, kernel):
        return Stage(kernel, (), kernel.inputs[0].size, (kernel.inputs[0].size,), of_indices(kernel), scratch=scratch)
    if deep and is_told_late(tape, kernel):  # the zeros come late, and the gradients are added to them in place
        return Stage(kernel, (), NOTHING, (kernel.inputs[0].size,), of_indices(kernel), scratch=scratch)
    if is_padded(tape, kernel):
        zeros = kernel.inputs[0].size
        late = deep or has_late_zeros(tape, kernel, batch)
        return Stage(kernel, (), NOTHING if late else zeros, (zeros,), _sum(*(zeros,) * late, indexed(kernel)),
                     scratch=scratch)
    if is_again(tape, kernel):
        return _again(tape, kernel, scratch, batch, deep)
    if is_concat(tape, kernel.inputs[0]):
        zeros = kernel.inputs[0].size
        return Stage(kernel, (), zeros, (zeros,), indexed(kernel), scratch=scratch)
    return None


def _again(tape: Tape, kernel: Kernel, scratch: Size, batch: int, deep: bool) -> Stage:
    """A max-pool of what is computed again."""
    zeros, brought = kernel.inputs[0].size, indexed(kernel)
    early = not deep and is_compared(tape, kernel) and is_copied_early(tape, kernel, batch)
    if is_shared(tape, kernel) or (deep and is_compared(tape, kernel)):
        brought = _sum(brought, zeros)
    elif deep and is_late(tape, kernel):
        return Stage(kernel, (), NOTHING, (zeros,), _sum(zeros, brought), scratch=scratch)
    if early and outweighed(tape, kernel, index := kernel.output.size.of(INDEX).times(INDICES), batch):
        return Stage(kernel, (), _sum(zeros, zeros, index), (), kernel.output.size, scratch=scratch)
    return Stage(kernel, (), _sum(zeros, zeros) if early else zeros, (zeros,), brought, scratch=scratch)


def _sum(*sizes: Size) -> Size:
    """In bytes."""
    fixed = each = 0
    for size in sizes:
        fixed, each = fixed + size.fixed * size.item, each + size.each * size.item
    return Size(fixed, each, 1)
