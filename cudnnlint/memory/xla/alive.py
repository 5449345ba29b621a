"""What is alive in a step that XLA compiles: what convolutions and products take and give, all else computed again.

Element-wise chains are fused and computed again on the way back; the inputs of convolutions, products and max-pools and
what convolutions and products put out stay. Compared with the CUDA compiler's own buffer assignment: docs/memory.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from cudnnlint.memory.simulate import Buffer, Moment, frontier
from cudnnlint.memory.xla.ends import counted, last, piled
from cudnnlint.memory.xla.lent import lend
from cudnnlint.memory.xla.merged import joined_weights
from cudnnlint.memory.xla.schedule import WORKSPACE, Schedule, Stage, bytes_of
from cudnnlint.memory.xla.stacked import of_stacks, size_of
from cudnnlint.memory.xla.stages import schedules, stages_of
from cudnnlint.memory.xla.updates import gradients
from cudnnlint.memory.xla.values import HEAVY, is_convolved, is_multiplied, size_at
from cudnnlint.ops.kernels.tape import BACKWARD, FORWARD, UPDATE, Kernel, Size, Tape

PASSING = "transient"
DRAWN = "compare"
PRODUCTS = frozenset({"contract", "convolve"})
"""Whose input is freed before its gradient is there: that of the kernel goes first."""
Told = tuple[int, int, int]
"""A moment, of which there are many: its fixed bytes, those of each sample, its place."""


def compiled_moments(tape: Tape, batch: int) -> tuple[list[Moment], list[Buffer]]:
    """The moments at which most is alive for some batch, and what is alive at that of this batch."""
    if not any(value.trained for value, _ in tape.variables):
        return _forwards_alone(tape, batch)
    schedule, moments, changed = _least(tape, batch)
    best = max(moments, key=lambda one: one[0] + one[1] * batch, default=(0, 0, -1))
    end = 2 * len(schedule.stages)
    alive = list(_alive(schedule, best[2]) if 0 <= best[2] <= end else changed)
    if best[2] > end:
        alive = _last(tape, schedule, batch, changed)
    if best[2] == end:
        alive.append(max(_beside(tape, schedule, batch), key=lambda one: one.fixed + one.each * batch))
    return frontier(moments) or [Moment(*best)], alive


def _least(tape: Tape, batch: int) -> tuple[Schedule, list[Told], list[Buffer]]:
    """The order that takes least at its peak, its moments, and the gradients of variables that are made last."""
    changed = max(list(gradients(tape)), of_stacks(tape, batch), key=lambda made: size_of(made, batch))
    updates = _told(0, 0, ((one.fixed, one.each) for one in changed), -1)

    def all_of(schedule: Schedule, back: list[Told]) -> list[Told]:
        return [*back, updates, *_aside(tape, schedule, batch)]

    orders = [_crowded(one, batch) for one in schedules(tape, batch)]
    schedule, back = min(orders, key=lambda one: max(_piled(tape, one[0], batch), *(
        [fixed + each * batch for fixed, each, _ in all_of(*one)])))
    lent = lend(tape, schedule, batch)
    back = back if lent is schedule else _backward(lent)
    return lent, [*all_of(lent, back), *_behind(tape, lent, batch, changed)], changed


def _piled(tape: Tape, schedule: Schedule, batch: int) -> int:
    """Bytes at the end of the step as XLA counts them, by which it compares orders."""
    if not schedule.deep:
        return 0 if tape.summed else piled(tape, schedule, batch)
    return counted(tape, schedule, batch)


def _crowded(schedule: Schedule, batch: int) -> tuple[Schedule, list[Told]]:
    """With the scratch of products also beside stages at which more is alive than while products run, but not by so
    much: what these stages have leaves no hole for it in the heap, where all that lasts lies already
    (xla/service/heap_simulator: GlobalDecreasingSizeBestFitHeap, the longest-lived first). And the way back."""
    back = _backward(schedule)
    moments = [(place // 2, fixed + each * batch) for fixed, each, place in back]
    products = {place for place, stage in enumerate(schedule.stages)
                if stage.kernel.kind == "loop" or is_multiplied(stage.kernel)}
    most = max((size for place, size in moments if place in products), default=0)
    beside = {place for place, size in moments if most - WORKSPACE.fixed < size < most} - products
    # one through which nothing is trained runs once, and leaves a hole where it has more
    beside -= {place for place, size in moments if size >= most and _is_frozen(schedule.stages[place])}
    if not beside or _is_roomy(schedule, batch):
        return schedule, back
    return replace(schedule, crowded=frozenset(beside)), [
        (fixed + WORKSPACE.fixed * (place // 2 in beside), each, place) for fixed, each, place in back]


def _is_roomy(schedule: Schedule, batch: int) -> bool:
    """Whether the scratch of products is larger than all else, twice: then it lies at the bottom, and what a stage has
    alive that is not there while products run, its gradient and that of its input, fits into its place (the same heap,
    the largest first; the better of the two is taken: xla/service/heap_simulator: ChooseBestHeapAlgorithm)."""
    sizes = (size for stage, kept in zip(schedule.stages, schedule.owned, strict=True)
             for size in (stage.given, *stage.working, *[size for _, size in kept]))
    return all(2 * size_at(size, batch) <= WORKSPACE.fixed for size in sizes)


def _behind(tape: Tape, schedule: Schedule, batch: int, changed: list[Buffer]) -> Iterator[Told]:
    """The gradients of variables that are made last, depth first: beside what those of the others are made of."""
    if schedule.deep:
        alive = ((one.fixed, one.each) for one in _last(tape, schedule, batch, changed))
        yield _told(0, 0, alive, 2 * len(schedule.stages) + 1)


def _last(tape: Tape, schedule: Schedule, batch: int, changed: list[Buffer]) -> list[Buffer]:
    first, made = last(tape, schedule, batch, changed)
    return [*(one for place, one in schedule.left() if place >= first), *made]


def _aside(tape: Tape, schedule: Schedule, batch: int) -> Iterator[Told]:
    for one in _beside(tape, schedule, batch):
        yield _told(*_all(schedule), [(one.fixed, one.each)], 2 * len(schedule.stages))


def _beside(tape: Tape, schedule: Schedule, batch: int) -> Iterator[Buffer]:
    """What lies beside all that is kept when the way forward ends: of a transposed convolution along one axis, if it is
    the last, what it takes too. The gradient of its kernel is a convolution by that with the samples as channels, of
    which a copy stays: where what it takes has the second axis that is put in for cuDNN already, as what another one
    puts out, it is not told from a convolution forwards (xla/service/gpu/transforms/conv_rewriter.cc:
    MatchBackwardFilter, MaybeConv1dToConv2d)."""
    if not schedule.stages:
        return
    yield from joined_weights(tape, schedule, batch)
    if any(tape.aside):
        yield Buffer(*tape.aside, _most(schedule.stages, batch), PASSING)
    last = schedule.stages[-1].kernel
    if last.output.index in tape.turned and last.output.trained and is_convolved(tape, last.inputs[0]):
        yield Buffer(*bytes_of(last.inputs[0].size), last, PASSING)


def _most(stages: list[Stage], batch: int) -> Kernel:
    """The kernel that puts out most."""
    return max(stages, key=lambda one: size_at(one.kernel.output.size, batch)).kernel


def _forwards_alone(tape: Tape, batch: int) -> tuple[list[Moment], list[Buffer]]:
    """Where nothing is trained, or it is not known what: the kernel that reads and writes most."""
    stages = stages_of(tape, batch).stages
    sums = [Moment(*_told(0, 0, map(bytes_of, stage.working), -1)) for stage in stages]
    most, stage = max(zip(sums, stages, strict=True), key=lambda one: one[0].bytes(batch), default=(None, None))
    if most is None or stage is None:
        return [Moment(0, 0, -1)], []
    return [most], [Buffer(most.fixed, most.each, stage.kernel, PASSING)]


def forwards(tape: Tape, batch: int) -> tuple[int, int]:
    """What a step has alive at most, fixed and for each sample, of models that it only computes forwards."""
    stages = [stage for stage in stages_of(tape, batch).stages if not stage.kernel.output.trained]
    sums = [Moment(*_told(0, 0, map(bytes_of, stage.working), 0)) for stage in stages]
    most = max(sums, key=lambda one: one.bytes(batch), default=Moment(0, 0, 0))
    return most.fixed, most.each


def kept_with(tape: Tape, layers: Collection[int], batch: int, most: int) -> tuple[int, int]:
    """What is kept of these layers, fixed and for each sample, up to the first kernel that adds more than `most` bytes:
    it waits for all else that could run (xla/service/hlo_memory_scheduler.cc: ListScheduler::GetPriority)."""
    fixed = each = 0
    for stage, more, share in _additions(stages_of(tape, batch)):
        if stage.kernel.layer in layers:
            if more + share * batch > most:
                break
            fixed, each = fixed + more, each + share
    return fixed, each


def adds(tape: Tape, batch: int) -> int:
    """The most bytes that a kernel of a step adds, also of those through which nothing is trained."""
    schedule = stages_of(tape, batch)
    outputs = [stage.kernel.output for stage in schedule.stages if not stage.kernel.output.trained]
    found = [bytes_of(tape.sliced.get(one.index, one.size)) for one in outputs]
    return max((more + share * batch for more, share in (
        *found, *((more, share) for _, more, share in _additions(schedule)))), default=0)


def _additions(schedule: Schedule) -> Iterator[tuple[Stage, int, int]]:
    """(stage, fixed bytes, those of each sample) of each kernel that gives something to keep; what is kept of an
    element-wise chain comes with what the next convolution or product takes, but for what dropouts draw."""
    waiting: list[tuple[Stage, tuple[int, int]]] = []
    for place, stage in enumerate(schedule.stages):
        for _, size in schedule.own(place):
            waiting.append((stage, bytes_of(size)))
            if stage.kernel.kind in HEAVY or stage.kernel.kind == DRAWN:
                yield waiting[0][0], sum(more for _, (more, _) in waiting), sum(share for _, (_, share) in waiting)
                waiting = []
    for one, (more, share) in waiting:
        yield one, more, share


def compiled_changes(tape: Tape, batch: int) -> Iterator[tuple[int, Kernel, Kernel, int, int]]:
    """(phase, the kernel that runs, that whose memory it is, fixed bytes, bytes of each sample) in the order of the
    step, negative for what is freed: the same as `compiled_moments`, one after another."""
    if not any(value.trained for value, _ in tape.variables):
        for one in _forwards_alone(tape, batch)[1]:
            yield from ((FORWARD, one.kernel, one.kernel, sign * one.fixed, sign * one.each) for sign in (1, -1))
        return
    schedule, _, changed = _least(tape, batch)
    stages = schedule.stages
    for place, stage in enumerate(stages):
        for _, size in schedule.own(place):
            yield FORWARD, stage.kernel, stage.kernel, *bytes_of(size)
        for fixed, each in _passing(stage, schedule.scratch(place)):
            yield from ((FORWARD, stage.kernel, stage.kernel, sign * fixed, sign * each) for sign in (1, -1))
    for one in _beside(tape, schedule, batch):
        yield from ((FORWARD, one.kernel, one.kernel, sign * one.fixed, sign * one.each) for sign in (1, -1))
    yield from _swept(schedule)
    first, made = last(tape, schedule, batch, changed) if schedule.deep else (0, changed)
    left = [(place, one) for place, one in schedule.left() if one.fixed or one.each]
    for sign, buffers in ((-1, [one for place, one in left if place < first]), (1, made),
                          (-1, [one for place, one in left if place >= first])):
        for one in buffers:
            yield UPDATE, one.kernel, one.kernel, sign * one.fixed, sign * one.each


def _is_frozen(stage: Stage) -> bool:
    return stage.kernel.kind in HEAVY and not stage.kernel.output.trained


def _passing(stage: Stage, scratch: Size) -> Iterator[tuple[int, int]]:
    """What a stage through which nothing is trained has alive while it runs: that is on the way forward."""
    if _is_frozen(stage):
        yield _told(*stage.pending, map(bytes_of, (stage.given, scratch, *stage.working)), 0)[:2]


def _swept(schedule: Schedule) -> Iterator[tuple[int, Kernel, Kernel, int, int]]:
    stages = schedule.stages
    came: list[tuple[Kernel, tuple[int, int]]] = []
    for place in range(len(stages) - 1, -1, -1):
        kernel, stage = stages[place].kernel, stages[place]
        product = kernel.kind in PRODUCTS
        came_in = [(kernel, one) for one in (bytes_of(stage.given), bytes_of(schedule.scratch(place)), stage.pending)]
        kept = [(one.kernel, bytes_of(size)) for one, size in schedule.freed(place)]
        if _is_frozen(stage):
            yield from ((BACKWARD, kernel, owner, -fixed, -each) for owner, (fixed, each) in kept if fixed or each)
            continue
        working = [(kernel, bytes_of(size)) for size in stage.working]
        going = came if kernel.kind in HEAVY else []
        for sign, sizes in (((-1, kept), (1, came_in), (-1, going), (1, working)) if stage.inside else
                            ((-1, going), (1, came_in), (-1, kept), (1, working)) if stage.over else
                            ((1, came_in), (-1, going), (-1, kept), (1, working)) if product else
                            ((-1, going), (1, came_in), (1, working), (-1, kept))):
            for owner, (fixed, each) in sizes:
                yield BACKWARD, kernel, owner, sign * fixed, sign * each
        gone = came_in[1:] if schedule.stays(place) is stage.given else came_in
        yield from ((BACKWARD, kernel, owner, -fixed, -each) for owner, (fixed, each) in gone)
        if kernel.kind in HEAVY:
            came = [(kernel, bytes_of(size)) for size in stage.going]
            if len(came) < len(working):  # what waits is counted with what is pending
                for sign, sizes in ((-1, working), (1, came)):
                    yield from ((BACKWARD, kernel, owner, sign * fixed, sign * each)
                                for owner, (fixed, each) in sizes)
    for owner, (fixed, each) in came:
        yield BACKWARD, owner, owner, -fixed, -each


def _backward(schedule: Schedule) -> list[Told]:
    """From the last stage to the first. What a stage kept is freed once nothing before it reads it: its output when
    the gradient of that is there, its input when the gradient of its kernel is, before that of the input."""
    stages, found = schedule.stages, list[Told]()
    fixed, each = _all(schedule)
    came = 0, 0
    for place in range(len(stages) - 1, -1, -1):
        stage = stages[place]
        product, working = stage.kernel.kind in PRODUCTS, _sum(stage.working)
        more, share = stage.pending
        given, scratch = stage.given, schedule.scratch(place)
        more, share = more + scratch.fixed * scratch.item, share + scratch.each * scratch.item
        own, part = (0, 0) if stage.inside else bytes_of(given)
        beside, each_beside = working if not product else (0, 0) if stage.over else came
        found.append((fixed + more + own + beside, each + share + part + each_beside, 2 * place + 1))
        came = _sum(stage.going) if stage.kernel.kind in HEAVY else came
        for _, size in schedule.freed(place):
            fixed, each = fixed - size.fixed * size.item, each - size.each * size.item
        if product:
            own, part = bytes_of(given)
            found.append((fixed + more + own + working[0], each + share + part + working[1], 2 * place))
        stays = bytes_of(schedule.stays(place))
        fixed, each = fixed + stays[0], each + stays[1]
    return found


def _sum(sizes: Iterable[Size]) -> tuple[int, int]:
    fixed = each = 0
    for size in sizes:
        fixed, each = fixed + size.fixed * size.item, each + size.each * size.item
    return fixed, each


def _all(schedule: Schedule) -> tuple[int, int]:
    """All that is kept: what is alive when the way back begins."""
    return _sum(size for kept in schedule.owned for _, size in kept)


def _told(fixed: int, each: int, alive: Iterable[tuple[int, int]], place: int) -> Told:
    for more, share in alive:
        fixed, each = fixed + more, each + share
    return fixed, each, place


def _came(stages: list[Stage], place: int) -> tuple[Size, ...]:
    """Gradients that the stage behind, the next one forwards, has just made."""
    behind = next((stage for stage in stages[place + 1:] if stage.kernel.kind in HEAVY), None)
    return behind.going if behind is not None else ()


def _alive(schedule: Schedule, moment: int) -> Iterator[Buffer]:
    """What is alive at a moment of the way back, told by the stage that keeps it or computes it."""
    stages = schedule.stages
    place, before = divmod(moment, 2)
    for number, stage in enumerate(stages):
        kept = [size for index, size in schedule.own(number)
                if number < place or (before and number < schedule.end(place))
                or schedule.stays_kept(index, place, before)]
        passing = [bytes_of(schedule.stays(number))] if number > place else []
        if number == place:
            own_way = not before or stage.kernel.kind not in PRODUCTS
            working = stage.working if own_way else () if stage.over else _came(stages, place)
            given = () if before and stage.inside else (stage.given,)
            passing += [stage.pending, *map(bytes_of, (*given, schedule.scratch(place), *working))]
        for term, sizes in (("", map(bytes_of, kept)), (PASSING, passing)):
            yield from (Buffer(fixed, each, stage.kernel, term) for fixed, each in sizes if fixed or each)
