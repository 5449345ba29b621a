"""What is alive in a step that XLA compiles: what convolutions and products take and give, all else computed again.

Element-wise chains are fused and computed again on the way back; the inputs of convolutions, products and max-pools and
what convolutions and products put out stay. Compared with the CUDA compiler's own buffer assignment: docs/memory.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from cudnnlint.memory.simulate import Buffer, Moment, frontier
from cudnnlint.memory.xla.stages import Stage, bytes_of, stages_of
from cudnnlint.memory.xla.updates import gradients
from cudnnlint.memory.xla.values import HEAVY
from cudnnlint.ops.kernels.tape import BACKWARD, FORWARD, UPDATE, Kernel, Size, Tape

PRODUCTS = frozenset({"contract", "convolve"})
"""Whose input is freed before its gradient is there: that of the kernel goes first."""


def compiled_moments(tape: Tape, batch: int) -> tuple[list[Moment], list[Buffer]]:
    """The moments at which most is alive for some batch, and what is alive at that of this batch."""
    if not any(value.trained for value, _ in tape.variables):
        return [Moment(0, 0, -1)], []
    stages, first = stages_of(tape, batch)
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
    return max(stages, key=lambda one: _moment(0, 0, [bytes_of(one.kernel.output.size)], 0).bytes(batch)).kernel


def forwards(tape: Tape, batch: int) -> tuple[int, int]:
    """What a step has alive at most, fixed and for each sample, of models that it only computes forwards."""
    stages = [stage for stage in stages_of(tape, batch)[0] if not stage.kernel.output.trained]
    sums = [_moment(0, 0, map(bytes_of, stage.working), 0) for stage in stages]
    most = max(sums, key=lambda one: one.bytes(batch), default=Moment(0, 0, 0))
    return most.fixed, most.each


def kept_with(tape: Tape, layers: Collection[int], batch: int) -> tuple[int, int]:
    """What is kept of these layers, fixed and for each sample."""
    stages, first = stages_of(tape, batch)
    sizes = [bytes_of(size) for place, stage in enumerate(stages) if stage.kernel.layer in layers
             for size in _own(stages, first, place)]
    return sum(fixed for fixed, _ in sizes), sum(each for _, each in sizes)


def compiled_changes(tape: Tape, batch: int) -> Iterator[tuple[int, Kernel, Kernel, int, int]]:
    """(phase, the kernel that runs, that whose memory it is, fixed bytes, bytes of each sample) in the order of the
    step, negative for what is freed: the same as `compiled_moments`, one after another."""
    if not any(value.trained for value, _ in tape.variables):
        return
    stages, first = stages_of(tape, batch)
    for place, stage in enumerate(stages):
        for size in _own(stages, first, place):
            yield FORWARD, stage.kernel, stage.kernel, *bytes_of(size)
    if any(tape.aside) and stages:
        owner = _most(stages, batch)
        yield from ((FORWARD, owner, owner, sign * tape.aside[0], sign * tape.aside[1]) for sign in (1, -1))
    came: list[tuple[Kernel, tuple[int, int]]] = []
    for place in range(len(stages) - 1, -1, -1):
        kernel, stage = stages[place].kernel, stages[place]
        product = kernel.kind in PRODUCTS
        came_in = [(kernel, one) for one in (bytes_of(stage.given), bytes_of(stage.scratch), stage.pending)]
        kept = [(stages[number].kernel, bytes_of(size)) for number in _freed(stages, place)
                for size in _own(stages, first, number)]
        working = [(kernel, bytes_of(size)) for size in stage.working]
        going = came if kernel.kind in HEAVY else []
        for sign, sizes in (((-1, going), (1, came_in), (-1, kept), (1, working)) if stage.over else
                            ((1, came_in), (-1, going), (-1, kept), (1, working)) if product else
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


def _backward(stages: list[Stage], first: dict[int, int]) -> Iterator[Moment]:
    """From the last stage to the first. What a stage kept is freed once nothing before it reads it: its output when
    the gradient of that is there, its input when the gradient of its kernel is, before that of the input."""
    fixed, each = _all(stages)
    came: list[tuple[int, int]] = []
    for place in range(len(stages) - 1, -1, -1):
        stage = stages[place]
        product, working = stage.kernel.kind in PRODUCTS, [*map(bytes_of, stage.working)]
        alive = [stage.pending, bytes_of(stage.given), bytes_of(stage.scratch)]
        yield _moment(fixed, each, [*alive, *(() if stage.over else came if product else working)], 2 * place + 1)
        came = working if stage.kernel.kind in HEAVY else came
        for size in (one for number in _freed(stages, place) for one in _own(stages, first, number)):
            fixed, each = fixed - bytes_of(size)[0], each - bytes_of(size)[1]
        if product:
            yield _moment(fixed, each, [*alive, *working], 2 * place)


def _all(stages: list[Stage]) -> tuple[int, int]:
    """All that is kept: what is alive when the way back begins."""
    sizes = [*map(bytes_of, _kept(stages).values()), *(bytes_of(stage.extra) for stage in stages)]
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
        sizes = [bytes_of(size) for size in (_own(stages, first, number) if number < place or before else ())]
        if number == place:
            sizes += [stage.pending, bytes_of(stage.given), bytes_of(stage.scratch)]
            own_way = not before or stage.kernel.kind not in PRODUCTS
            sizes += map(bytes_of, stage.working if own_way else () if stage.over else _came(stages, place))
        for fixed, each in sizes:
            if fixed or each:
                yield Buffer(fixed, each, stage.kernel)
