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
from cudnnlint.memory.xla.schedule import Schedule, Stage, bytes_of
from cudnnlint.memory.xla.stages import schedules, stages_of
from cudnnlint.memory.xla.updates import WORKSPACE, gradients
from cudnnlint.memory.xla.values import HEAVY, is_convolved
from cudnnlint.ops.kernels.tape import BACKWARD, FORWARD, UPDATE, Kernel, Size, Tape

PASSING = "transient"
DRAWN = "compare"
PRODUCTS = frozenset({"contract", "convolve"})
"""Whose input is freed before its gradient is there: that of the kernel goes first."""


def compiled_moments(tape: Tape, batch: int) -> tuple[list[Moment], list[Buffer]]:
    """The moments at which most is alive for some batch, and what is alive at that of this batch."""
    if not any(value.trained for value, _ in tape.variables):
        return _forwards_alone(tape, batch)
    schedule, moments = _least(tape, batch)
    best = max(moments, key=lambda one: one.bytes(batch), default=Moment(0, 0, -1))
    end = 2 * len(schedule.stages)
    alive = list(_alive(schedule, best.place) if 0 <= best.place <= end else gradients(tape))
    if best.place > end:
        alive = _last(tape, schedule, batch)
    if best.place == end:
        alive.append(max(_beside(tape, schedule, batch), key=lambda one: one.fixed + one.each * batch))
    return frontier(moments) or [best], alive


def _least(tape: Tape, batch: int) -> tuple[Schedule, list[Moment]]:
    """The order that takes least at its peak, and its moments."""
    updates = _updates(tape)

    def moments(schedule: Schedule) -> list[Moment]:
        return [*_backward(schedule), updates, *_aside(tape, schedule, batch)]

    orders = [_crowded(one, batch) for one in schedules(tape, batch)]
    schedule = min(orders, key=lambda one: max(_piled(tape, one, batch), *(
        moment.bytes(batch) for moment in moments(one))))
    schedule = lend(tape, schedule, batch)
    return schedule, [*moments(schedule), *_behind(tape, schedule, batch)]


def _piled(tape: Tape, schedule: Schedule, batch: int) -> int:
    """Bytes at the end of the step as XLA counts them, by which it compares orders."""
    if not schedule.deep:
        return 0 if tape.summed else piled(tape, schedule, batch)
    return counted(tape, schedule, batch)


def _crowded(schedule: Schedule, batch: int) -> Schedule:
    """With the scratch of products also beside stages at which more is alive than while products run, but not by so
    much: what these stages have leaves no hole for it in the heap, where all that lasts lies already
    (xla/service/heap_simulator: GlobalDecreasingSizeBestFitHeap, the longest-lived first)."""
    moments = [(one.place // 2, one.bytes(batch)) for one in _backward(schedule)]
    products = {place for place, stage in enumerate(schedule.stages) if stage.kernel.kind == "contract"}
    most = max((size for place, size in moments if place in products), default=0)
    beside = {place for place, size in moments if most - WORKSPACE.fixed < size < most} - products
    # one through which nothing is trained runs once, and leaves a hole where it has more
    beside -= {place for place, size in moments if size >= most and _is_frozen(schedule.stages[place])}
    stages = [replace(stage, scratch=Size(stage.scratch.fixed + WORKSPACE.fixed, stage.scratch.each, 1))
              if place in beside else stage for place, stage in enumerate(schedule.stages)]
    return replace(schedule, stages=stages) if beside else schedule


def _behind(tape: Tape, schedule: Schedule, batch: int) -> Iterator[Moment]:
    """The gradients of variables that are made last, depth first: beside what those of the others are made of."""
    if schedule.deep:
        alive = ((one.fixed, one.each) for one in _last(tape, schedule, batch))
        yield _moment(0, 0, alive, 2 * len(schedule.stages) + 1)


def _last(tape: Tape, schedule: Schedule, batch: int) -> list[Buffer]:
    first, made = last(tape, schedule, batch)
    return [*(one for place, one in schedule.left() if place >= first), *made]


def _aside(tape: Tape, schedule: Schedule, batch: int) -> Iterator[Moment]:
    for one in _beside(tape, schedule, batch):
        yield _moment(*_all(schedule), [(one.fixed, one.each)], 2 * len(schedule.stages))


def _beside(tape: Tape, schedule: Schedule, batch: int) -> Iterator[Buffer]:
    """What lies beside all that is kept when the way forward ends: of a transposed convolution along one axis, if it is
    the last, what it takes too. The gradient of its kernel is a convolution by that with the samples as channels, of
    which a copy stays: where what it takes has the second axis that is put in for cuDNN already, as what another one
    puts out, it is not told from a convolution forwards (xla/service/gpu/transforms/conv_rewriter.cc:
    MatchBackwardFilter, MaybeConv1dToConv2d)."""
    if not schedule.stages:
        return
    if any(tape.aside):
        yield Buffer(*tape.aside, _most(schedule.stages, batch), PASSING)
    last = schedule.stages[-1].kernel
    if last.output.index in tape.turned and last.output.trained and is_convolved(tape, last.inputs[0]):
        yield Buffer(*bytes_of(last.inputs[0].size), last, PASSING)


def _most(stages: list[Stage], batch: int) -> Kernel:
    """The kernel that puts out most."""
    return max(stages, key=lambda one: _moment(0, 0, [bytes_of(one.kernel.output.size)], 0).bytes(batch)).kernel


def _forwards_alone(tape: Tape, batch: int) -> tuple[list[Moment], list[Buffer]]:
    """Where nothing is trained, or it is not known what: the kernel that reads and writes most."""
    stages = stages_of(tape, batch).stages
    sums = [_moment(0, 0, map(bytes_of, stage.working), -1) for stage in stages]
    most, stage = max(zip(sums, stages, strict=True), key=lambda one: one[0].bytes(batch), default=(None, None))
    if most is None or stage is None:
        return [Moment(0, 0, -1)], []
    return [most], [Buffer(most.fixed, most.each, stage.kernel, PASSING)]


def forwards(tape: Tape, batch: int) -> tuple[int, int]:
    """What a step has alive at most, fixed and for each sample, of models that it only computes forwards."""
    stages = [stage for stage in stages_of(tape, batch).stages if not stage.kernel.output.trained]
    sums = [_moment(0, 0, map(bytes_of, stage.working), 0) for stage in stages]
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
    schedule = _least(tape, batch)[0]
    stages = schedule.stages
    for place, stage in enumerate(stages):
        for _, size in schedule.own(place):
            yield FORWARD, stage.kernel, stage.kernel, *bytes_of(size)
        for fixed, each in _passing(stage):
            yield from ((FORWARD, stage.kernel, stage.kernel, sign * fixed, sign * each) for sign in (1, -1))
    for one in _beside(tape, schedule, batch):
        yield from ((FORWARD, one.kernel, one.kernel, sign * one.fixed, sign * one.each) for sign in (1, -1))
    yield from _swept(schedule)
    first, made = last(tape, schedule, batch) if schedule.deep else (0, gradients(tape))
    left = [(place, one) for place, one in schedule.left() if one.fixed or one.each]
    for sign, buffers in ((-1, [one for place, one in left if place < first]), (1, made),
                          (-1, [one for place, one in left if place >= first])):
        for one in buffers:
            yield UPDATE, one.kernel, one.kernel, sign * one.fixed, sign * one.each


def _is_frozen(stage: Stage) -> bool:
    return stage.kernel.kind in HEAVY and not stage.kernel.output.trained


def _passing(stage: Stage) -> Iterator[tuple[int, int]]:
    """What a stage through which nothing is trained has alive while it runs: that is on the way forward."""
    if _is_frozen(stage):
        moment = _moment(*stage.pending, map(bytes_of, (stage.given, stage.scratch, *stage.working)), 0)
        yield moment.fixed, moment.each


def _swept(schedule: Schedule) -> Iterator[tuple[int, Kernel, Kernel, int, int]]:
    stages = schedule.stages
    came: list[tuple[Kernel, tuple[int, int]]] = []
    for place in range(len(stages) - 1, -1, -1):
        kernel, stage = stages[place].kernel, stages[place]
        product = kernel.kind in PRODUCTS
        came_in = [(kernel, one) for one in (bytes_of(stage.given), bytes_of(stage.scratch), stage.pending)]
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


def _backward(schedule: Schedule) -> Iterator[Moment]:
    """From the last stage to the first. What a stage kept is freed once nothing before it reads it: its output when
    the gradient of that is there, its input when the gradient of its kernel is, before that of the input."""
    stages = schedule.stages
    fixed, each = _all(schedule)
    came: list[tuple[int, int]] = []
    for place in range(len(stages) - 1, -1, -1):
        stage = stages[place]
        product, working = stage.kernel.kind in PRODUCTS, [*map(bytes_of, stage.working)]
        alive = [stage.pending, bytes_of(stage.given), bytes_of(stage.scratch)]
        first = [alive[0], alive[2]] if stage.inside else alive
        yield _moment(fixed, each, [*first, *(() if stage.over else came if product else working)], 2 * place + 1)
        came = [*map(bytes_of, stage.going)] if stage.kernel.kind in HEAVY else came
        for _, size in schedule.freed(place):
            fixed, each = fixed - bytes_of(size)[0], each - bytes_of(size)[1]
        if product:
            yield _moment(fixed, each, [*alive, *working], 2 * place)
        stays = bytes_of(schedule.stays(place))
        fixed, each = fixed + stays[0], each + stays[1]


def _all(schedule: Schedule) -> tuple[int, int]:
    """All that is kept: what is alive when the way back begins."""
    sizes = [bytes_of(size) for place in range(len(schedule.stages)) for _, size in schedule.own(place)]
    return sum(fixed for fixed, _ in sizes), sum(each for _, each in sizes)


def _moment(fixed: int, each: int, alive: Iterable[tuple[int, int]], place: int) -> Moment:
    for more, share in alive:
        fixed, each = fixed + more, each + share
    return Moment(fixed, each, place)


def _updates(tape: Tape) -> Moment:
    """The gradients of variables that are made last, when the activations are gone."""
    found = list(gradients(tape))
    return Moment(sum(buffer.fixed for buffer in found), sum(buffer.each for buffer in found), -1)


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
            passing += [stage.pending, *map(bytes_of, (*given, stage.scratch, *working))]
        for term, sizes in (("", map(bytes_of, kept)), (PASSING, passing)):
            yield from (Buffer(fixed, each, stage.kernel, term) for fixed, each in sizes if fixed or each)
