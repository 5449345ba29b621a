"""What is alive in a step that XLA compiles: what convolutions and products take and give, all else computed again.

Element-wise chains are fused and computed again on the way back; the inputs of convolutions, products and max-pools and
what convolutions and products put out stay. Compared with the CUDA compiler's own buffer assignment: docs/memory.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from cudnnlint.memory.simulate import Buffer, Moment, frontier
from cudnnlint.memory.xla_kept import is_added, is_moved, is_scored, read, stored
from cudnnlint.memory.xla_pools import (
    INDEX,
    INDICES,
    indexed,
    is_concat,
    is_joined,
    is_told_apart,
    outweighed,
    pooled_directly,
)
from cudnnlint.memory.xla_updates import beside, given, gradients, pending
from cudnnlint.memory.xla_values import ENDING, HEAVY, above, origin, turned
from cudnnlint.ops.kernels.tape import BACKWARD, FORWARD, UPDATE, Kernel, Size, Tape
from cudnnlint.records import record

PRODUCTS = frozenset({"contract", "convolve"})
"""Whose input is freed before its gradient is there: that of the kernel goes first."""
NOTHING = Size(0)


@record(frozen=True, slots=True)
class Stage:
    """One heavy kernel: what it keeps, and what its gradient has alive besides.

    given    the gradient of what it puts out; working: those of its inputs
    scratch  lies beside all of it
    pending  gradients of values that other stages read too, which wait for this one's
    """

    kernel: Kernel
    kept: tuple[tuple[int, Size], ...]
    extra: Size
    working: tuple[Size, ...]
    given: Size = NOTHING
    pending: tuple[int, int] = (0, 0)
    scratch: Size = NOTHING


def compiled_moments(tape: Tape, batch: int) -> tuple[list[Moment], list[Buffer]]:
    """The moments at which most is alive for some batch, and what is alive at that of this batch."""
    if not any(value.trained for value, _ in tape.variables):
        return [Moment(0, 0, -1)], []
    stages, first = _stages(tape, batch)
    moments = [*_backward(stages, first), _updates(tape)]
    if any(tape.aside) and stages:
        moments.append(_moment(*_all(stages), [tape.aside], 2 * len(stages)))
    best = max(moments, key=lambda one: one.bytes(batch), default=Moment(0, 0, -1))
    alive = list(_alive(stages, first, best.place) if best.place >= 0 else gradients(tape))
    if best.place == 2 * len(stages):
        alive.append(Buffer(*tape.aside, _most(stages, batch)))
    return frontier(moments) or [best], alive


def _most(stages: list[Stage], batch: int) -> Kernel:
    """The kernel that puts out most."""
    return max(stages, key=lambda one: _moment(0, 0, [_bytes(one.kernel.output.size)], 0).bytes(batch)).kernel


def forwards(tape: Tape, batch: int) -> tuple[int, int]:
    """What a step has alive at most, fixed and for each sample, of models that it only computes forwards."""
    stages = [stage for stage in _stages(tape, batch)[0] if not stage.kernel.output.trained]
    sums = [_moment(0, 0, map(_bytes, stage.working), 0) for stage in stages]
    most = max(sums, key=lambda one: one.bytes(batch), default=Moment(0, 0, 0))
    return most.fixed, most.each


def _stages(tape: Tape, batch: int) -> tuple[list[Stage], dict[int, int]]:
    """The stages in the order of the forward pass; value -> the first that keeps it."""
    forward = [kernel for kernel in tape.kernels if kernel.phase == FORWARD]
    scratch = Size(sum(size.fixed * size.item for size in beside(tape, forward, batch)), 0, 1)
    kept = {id(kernel): values for kernel in forward if (values := stored(tape, kernel, batch))}
    held = {index for values in kept.values() for index, _ in values}
    held.update(origin(tape, value).index for kernel in forward if kernel.kind in ENDING
                for value in kernel.inputs[kernel.output.index in tape.padded:])
    stages = [Stage(kernel, kept[id(kernel)], NOTHING, (), scratch=scratch) if id(kernel) in kept
              else _stage(tape, kernel, scratch, held, batch)
              for kernel in forward if kernel.kind in HEAVY or id(kernel) in kept]
    waits = pending(tape, [stage.kernel for stage in stages])
    stages = [replace(stage, pending=waiting) for stage, waiting in zip(stages, waits, strict=True)]
    first: dict[int, int] = {}
    for place, stage in enumerate(stages):
        for index, _ in stage.kept:
            first.setdefault(index, place)
    return stages, first


def compiled_changes(tape: Tape, batch: int) -> Iterator[tuple[int, Kernel, Kernel, int, int]]:
    """(phase, the kernel that runs, that whose memory it is, fixed bytes, bytes of each sample) in the order of the
    step, negative for what is freed: the same as `compiled_moments`, one after another."""
    if not any(value.trained for value, _ in tape.variables):
        return
    stages, first = _stages(tape, batch)
    for place, stage in enumerate(stages):
        for size in _own(stages, first, place):
            yield FORWARD, stage.kernel, stage.kernel, *_bytes(size)
    if any(tape.aside) and stages:
        owner = _most(stages, batch)
        yield from ((FORWARD, owner, owner, sign * tape.aside[0], sign * tape.aside[1]) for sign in (1, -1))
    came: list[tuple[Kernel, tuple[int, int]]] = []
    for place in range(len(stages) - 1, -1, -1):
        kernel, stage = stages[place].kernel, stages[place]
        product = kernel.kind in PRODUCTS
        came_in = [(kernel, one) for one in (_bytes(stage.given), _bytes(stage.scratch), stage.pending)]
        kept = [(stages[number].kernel, _bytes(size)) for number in _freed(stages, place)
                for size in _own(stages, first, number)]
        working = [(kernel, _bytes(size)) for size in stage.working]
        going = came if kernel.kind in HEAVY else []
        for sign, sizes in (((1, came_in), (-1, going), (-1, kept), (1, working)) if product else
                            ((-1, going), (1, came_in), (1, working), (-1, kept))):
            for owner, (fixed, each) in sizes:
                yield BACKWARD, kernel, owner, sign * fixed, sign * each
        yield from ((BACKWARD, kernel, owner, -fixed, -each) for owner, (fixed, each) in came_in)
        came = working if kernel.kind in HEAVY else came
    for owner, (fixed, each) in came:
        yield BACKWARD, owner, owner, -fixed, -each
    for buffer in gradients(tape):
        yield UPDATE, buffer.kernel, buffer.kernel, buffer.fixed, buffer.each


def _end(stages: list[Stage], place: int) -> int:
    """Behind a stage and what is kept of the element-wise chains after it, as the masks of dropouts."""
    return next((number for number in range(place + 1, len(stages)) if stages[number].kernel.kind in HEAVY),
                len(stages))


def _freed(stages: list[Stage], place: int) -> range:
    """The stages of which nothing is kept once a stage has the gradient of what it puts out."""
    return range(place, _end(stages, place) if place == 0 or stages[place].kernel.kind in HEAVY else place)


def _own(stages: list[Stage], first: dict[int, int], place: int) -> list[Size]:
    """What a stage keeps that none before it does."""
    return [*(size for index, size in set(stages[place].kept) if first[index] == place), stages[place].extra]


def _stage(tape: Tape, kernel: Kernel, scratch: Size, held: set[int], batch: int) -> Stage:
    taken = kernel.inputs[:1] if kernel.kind == "max_pool" else kernel.inputs
    if not kernel.output.trained:
        return _frozen(tape, kernel, scratch)
    pooled = kernel.kind == "max_pool"
    if pooled and is_joined(tape, kernel):
        index = kernel.output.size.of(INDEX).times(INDICES)
        if outweighed(tape, kernel, index, batch):
            return Stage(kernel, (), index, (kernel.inputs[0].size,), kernel.output.size, scratch=scratch)
        return Stage(kernel, (), NOTHING, (kernel.inputs[0].size, index), kernel.output.size, scratch=scratch)
    if pooled and (direct := pooled_directly(tape, kernel)) is not None:
        index = kernel.output.size.of(INDEX).times(INDICES)
        own = (direct.index, direct.size)
        return Stage(kernel, (own,), NOTHING, (kernel.inputs[0].size, index), kernel.output.size, scratch=scratch)
    if pooled and is_concat(tape, kernel.inputs[0]):
        zeros = kernel.inputs[0].size
        return Stage(kernel, (), zeros, (zeros,), indexed(kernel), scratch=scratch)
    gone = pooled or is_scored(tape, kernel, batch) or is_added(tape, kernel)
    found = None if gone else read(tape, kernel, held)
    origins = [*(turned(tape, kernel, one) for one in taken), *((origin(tape, found),) if found is not None else ())]
    if kernel.kind == "convolve":  # cuDNN wants another layout of the kernel, and of the batch
        origins = [one for one in origins if not one.held or one is not origins[1] or taken[0].trained]
    else:
        origins = [one for one in origins if not one.held]
    told = pooled and is_told_apart(tape, kernel)
    signs = [told or (found is not None and one is found and is_moved(tape, one)) for one in origins]
    kept = tuple((one.index, one.size.of(1) if sign else tape.sliced.get(one.index, one.size))
                 for one, sign in zip(origins, signs, strict=True))
    if (copied := tape.padded.get(kernel.output.index)) is not None:
        kept = ((-1 - kernel.output.index, copied), *(one for one in kept if one[0] != origins[0].index))
    extra = kernel.inputs[0].size if pooled else NOTHING  # zeros that the gradients of its largest are added to
    working = [value.size for value in kernel.inputs if value.trained and not value.held]
    brought = indexed(kernel) if pooled else given(tape, kernel)
    return Stage(kernel, kept, extra, tuple(working), brought, scratch=scratch)


def _frozen(tape: Tape, kernel: Kernel, scratch: Size) -> Stage:
    """Nothing stays: it reads and writes, after what it reads was computed of what the kernels before put out."""
    taken = [value for value in kernel.inputs if not value.held]
    ways = ([kernel.output, *taken], [*taken, *(one for value in taken for one in above(tape, value))])
    most = max(ways, key=lambda way: (sum(value.size.each * value.size.item for value in way),
                                      sum(value.size.fixed * value.size.item for value in way)))
    return Stage(kernel, (), NOTHING, tuple(value.size for value in most), scratch=scratch)


def _bytes(size: Size) -> tuple[int, int]:
    return size.fixed * size.item, size.each * size.item


def _backward(stages: list[Stage], first: dict[int, int]) -> Iterator[Moment]:
    """From the last stage to the first. What a stage kept is freed once nothing before it reads it: its output when
    the gradient of that is there, its input when the gradient of its kernel is, before that of the input."""
    fixed, each = _all(stages)
    came: list[tuple[int, int]] = []
    for place in range(len(stages) - 1, -1, -1):
        stage = stages[place]
        product, working = stage.kernel.kind in PRODUCTS, [*map(_bytes, stage.working)]
        alive = [stage.pending, _bytes(stage.given), _bytes(stage.scratch)]
        yield _moment(fixed, each, [*alive, *(came if product else working)], 2 * place + 1)
        came = working if stage.kernel.kind in HEAVY else came
        for size in (one for number in _freed(stages, place) for one in _own(stages, first, number)):
            fixed, each = fixed - _bytes(size)[0], each - _bytes(size)[1]
        if product:
            yield _moment(fixed, each, [*alive, *working], 2 * place)


def _all(stages: list[Stage]) -> tuple[int, int]:
    """All that is kept: what is alive when the way back begins."""
    sizes = [*map(_bytes, _kept(stages).values()), *(_bytes(stage.extra) for stage in stages)]
    return sum(fixed for fixed, _ in sizes), sum(each for _, each in sizes)


def _moment(fixed: int, each: int, alive: Iterable[tuple[int, int]], place: int) -> Moment:
    for more, share in alive:
        fixed, each = fixed + more, each + share
    return Moment(fixed, each, place)


def _updates(tape: Tape) -> Moment:
    """The gradients of variables that are made last, when the activations are gone."""
    found = list(gradients(tape))
    return Moment(sum(buffer.fixed for buffer in found), sum(buffer.each for buffer in found), -1)


def _kept(stages: list[Stage]) -> dict[int, Size]:
    return {index: size for stage in stages for index, size in stage.kept}


def _came(stages: list[Stage], place: int) -> tuple[Size, ...]:
    """Gradients that the stage behind, the next one forwards, has just made."""
    behind = next((stage for stage in stages[place + 1:] if stage.kernel.kind in HEAVY), None)
    return behind.working if behind is not None else ()


def _alive(stages: list[Stage], first: dict[int, int], moment: int) -> Iterator[Buffer]:
    """What is kept at a moment of the way back, told by the stage that keeps it."""
    place, before = divmod(moment, 2)
    for number, stage in enumerate(stages[:_end(stages, place)]):
        sizes = [_bytes(size) for size in (_own(stages, first, number) if number < place or before else ())]
        if number == place:
            sizes += [stage.pending, _bytes(stage.given), _bytes(stage.scratch)]
            own_way = not before or stage.kernel.kind not in PRODUCTS
            sizes += map(_bytes, stage.working if own_way else _came(stages, place))
        for fixed, each in sizes:
            if fixed or each:
                yield Buffer(fixed, each, stage.kernel)
