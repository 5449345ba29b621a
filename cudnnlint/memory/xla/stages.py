"""The heavy kernels of a step that XLA compiles: what each keeps for the way back, and what its gradient has alive."""

from __future__ import annotations

from dataclasses import replace

from cudnnlint.memory.xla.dilated import moved_back, waiting
from cudnnlint.memory.xla.kept import SIGNS, is_added, is_cut, is_moved, is_scored, read, stored
from cudnnlint.memory.xla.pools import (
    INDEX,
    INDICES,
    after_leaky,
    indexed,
    is_concat,
    is_joined,
    is_swish,
    is_told_apart,
    of_indices,
    outweighed,
    pooled_directly,
)
from cudnnlint.memory.xla.updates import early, given, pending
from cudnnlint.memory.xla.values import ENDING, HEAVY, above, origin, turned
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Size, Tape
from cudnnlint.records import record

NOTHING = Size(0)


@record(frozen=True, slots=True)
class Stage:
    """One heavy kernel: what it keeps, and what its gradient has alive besides.

    given    the gradient of what it puts out; working: those of its inputs
    scratch  lies beside all of it
    over     whether that gradient is written over the one that came
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


def stages_of(tape: Tape, batch: int) -> tuple[list[Stage], dict[int, int]]:
    """The stages in the order of the forward pass; value -> the first that keeps it."""
    forward = [kernel for kernel in tape.kernels if kernel.phase == FORWARD]
    scratch = _sum(Size(*tape.together, 1), *early(tape, forward, batch))
    kept = {id(kernel): values for kernel in forward if (values := stored(tape, kernel, batch))}
    held = {index for values in kept.values() for index, _ in values}
    held.update(origin(tape, value).index for kernel in forward if kernel.kind in ENDING
                for value in kernel.inputs[kernel.output.index in tape.padded:])
    stages = [Stage(kernel, kept[id(kernel)], NOTHING, (), scratch=scratch) if id(kernel) in kept
              else _stage(tape, kernel, scratch, held, batch)
              for kernel in forward if kernel.kind in HEAVY or id(kernel) in kept]
    kernels = [stage.kernel for stage in stages]
    waits = zip(pending(tape, kernels), waiting(tape, kernels), strict=True)
    stages = [replace(stage, pending=(one[0] + other[0], one[1] + other[1]))
              for stage, (one, other) in zip(stages, waits, strict=True)]
    first: dict[int, int] = {}
    for place, stage in enumerate(stages):
        for index, _ in stage.kept:
            first.setdefault(index, place)
    return stages, first


def _stage(tape: Tape, kernel: Kernel, scratch: Size, held: set[int], batch: int) -> Stage:
    taken = kernel.inputs[:1] if kernel.kind == "max_pool" else kernel.inputs[kernel.kind == "rows":]
    if not kernel.output.trained:
        return _frozen(tape, kernel, scratch)
    if (steps := tape.looped.get(kernel.output.index)) is not None:
        return _looped(tape, kernel, steps, scratch)
    pooled = kernel.kind == "max_pool"
    if pooled and (alone := _pooled(tape, kernel, scratch, batch)) is not None:
        return alone
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
    working = [value.size for value in taken if value.trained and not value.held]
    brought = indexed(kernel) if pooled else given(tape, kernel)
    over = is_cut(tape, kernel)
    beside = (moved_back(tape, kernel), kernel.output.size.of(1) if over else NOTHING)
    return Stage(kernel, kept, extra, tuple(working), brought, scratch=_sum(scratch, *beside), over=over)


def _looped(tape: Tape, kernel: Kernel, steps: Size, scratch: Size) -> Stage:
    """A loop over time: lists of what its steps keep, and its inputs, in the order of time and as a list of theirs."""
    index, inputs = kernel.output.index, kernel.inputs[0]
    put_out = max((reader.output.size for reader in tape.readers(index)), key=bytes_of, default=NOTHING)
    return Stage(kernel, ((index, steps), (-1 - index, inputs.size.times(2))), NOTHING, (), put_out, scratch=scratch)


def _pooled(tape: Tape, kernel: Kernel, scratch: Size, batch: int) -> Stage | None:
    """A max-pool that does not keep what it takes; None for any other."""
    if is_joined(tape, kernel):
        index = kernel.output.size.of(INDEX).times(INDICES)
        if outweighed(tape, kernel, index, batch):
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
    if is_swish(tape, kernel.inputs[0]):
        return Stage(kernel, (), kernel.inputs[0].size, (kernel.inputs[0].size,), indexed(kernel), scratch=scratch)
    if is_concat(tape, kernel.inputs[0]):
        zeros = kernel.inputs[0].size
        return Stage(kernel, (), zeros, (zeros,), indexed(kernel), scratch=scratch)
    return None


def _frozen(tape: Tape, kernel: Kernel, scratch: Size) -> Stage:
    """Nothing stays: it reads and writes, after what it reads was computed of what the kernels before put out."""
    taken = [value for value in kernel.inputs if not value.held]
    ways = ([kernel.output, *taken], [*taken, *(one for value in taken for one in above(tape, value))])
    most = max(ways, key=lambda way: (sum(value.size.each * value.size.item for value in way),
                                      sum(value.size.fixed * value.size.item for value in way)))
    return Stage(kernel, (), NOTHING, tuple(value.size for value in most), scratch=scratch)


def _sum(*sizes: Size) -> Size:
    """In bytes."""
    found = [bytes_of(size) for size in sizes]
    return Size(sum(fixed for fixed, _ in found), sum(each for _, each in found), 1)


def bytes_of(size: Size) -> tuple[int, int]:
    return size.fixed * size.item, size.each * size.item
