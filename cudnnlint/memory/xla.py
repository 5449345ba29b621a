"""What is alive in a step that XLA compiles: what convolutions and products take and give, all else computed again.

Element-wise chains are fused and computed again on the way back; the inputs of convolutions, products and max-pools and
what convolutions and products put out stay. Compared with the CUDA compiler's own buffer assignment: docs/memory.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cudnnlint.memory.simulate import Buffer, Moment, frontier
from cudnnlint.ops.kernels.tape import BACKWARD, FORWARD, UPDATE, Kernel, Size, Tape, Value

HEAVY = frozenset({"contract", "convolve", "loop", "rows", "max_pool"})
PASSING = frozenset({"bias", "add", "sub", "scale", "shift", "view", "cast", "concat", "pad"})
"""Linear: their gradients read none of their operands."""
ENDING = frozenset({"contract", "convolve", "max_pool"})
"""What keeps its operand itself."""
INDICES = 4
"""Arrays of a max-pool's output that SelectAndScatter makes of a reduce-window."""
WORKSPACE = Size(4 << 20, 0, 1)
"""What cuBLASLt is given for a product, 32 MiB on Hopper (xla/service/gpu/transforms/gemm_rewriter.cc:
GemmWorkspaceRewriteVisitor). It lies beside what is kept: the heap of a small net has no hole of that size."""
ROWS, COLUMNS = 4096, 768
"""A column reduction of more rows is split (32 warps of 128); one of many columns gives nothing beside its sum, as seen
at 1,024 and not at 576."""
TABLES = 2
"""Copies of an embedding's size that its gradient takes: what is scattered into, and the sum."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One heavy kernel: what it keeps, and what its gradient has alive besides."""

    kernel: Kernel
    kept: tuple[tuple[int, Size], ...]
    extra: Size
    working: tuple[Size, ...]


def compiled_moments(tape: Tape, batch: int) -> tuple[list[Moment], list[Buffer]]:
    """The moments at which most is alive for some batch, and what is alive at that of this batch."""
    if not any(value.trained for value, _ in tape.variables):
        return [Moment(0, 0, -1)], []
    stages, first = _stages(tape, batch)
    moments = [*_backward(stages, first), _updates(tape)]
    best = max(moments, key=lambda one: one.bytes(batch), default=Moment(0, 0, -1))
    alive = _alive(stages, first, best.place) if best.place >= 0 else _gradients(tape)
    return frontier(moments) or [best], list(alive)


def _stages(tape: Tape, batch: int) -> tuple[list[Stage], dict[int, int]]:
    """The stages in the order of the forward pass; value -> the first that keeps it."""
    forward = [kernel for kernel in tape.kernels if kernel.phase == FORWARD]
    scratch = (WORKSPACE,) if any(kernel.kind == "contract" for kernel in forward) else ()
    stages = [_stage(tape, kernel, scratch) for kernel in forward
              if kernel.kind in HEAVY or _is_wide(tape, kernel, batch)]
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
    for phase, walk in ((FORWARD, range(len(stages))), (BACKWARD, range(len(stages) - 1, -1, -1))):
        for place in walk:
            stage, kernel = stages[place], stages[place].kernel
            kept = [*(size for index, size in set(stage.kept) if first[index] == place), stage.extra]
            working = [_bytes(size) for size in stage.working]
            for fixed, each in map(_bytes, kept if phase == FORWARD else ()):
                yield phase, kernel, kernel, fixed, each
            for sign in (1, -1) if phase == BACKWARD else ():
                for fixed, each in working:
                    yield phase, kernel, kernel, sign * fixed, sign * each
            for fixed, each in map(_bytes, kept if phase == BACKWARD else ()):
                yield phase, kernel, kernel, -fixed, -each
    for buffer in _gradients(tape):
        yield UPDATE, buffer.kernel, buffer.kernel, buffer.fixed, buffer.each


def _stage(tape: Tape, kernel: Kernel, scratch: tuple[Size, ...]) -> Stage:
    given = kernel.inputs[:1] if kernel.kind == "max_pool" else kernel.inputs
    if not kernel.output.trained:  # frozen: nothing stays
        passing = tuple(value.size for value in (kernel.output, *kernel.inputs) if not value.held)
        return Stage(kernel, (), Size(0), (*passing, *scratch))
    if kernel.kind == "sqdiff":
        return Stage(kernel, ((kernel.output.index, kernel.output.size),), Size(0), scratch)
    pooled = kernel.kind == "max_pool"
    values = (*given, kernel.output) if kernel.kind != "max_pool" and _is_read(tape, kernel) else given
    origins = [_origin(tape, one) for one in values]
    if kernel.kind == "convolve":  # cuDNN wants another layout of the kernel, and of the batch
        origins = [one for one in origins if not one.held or one is not origins[1] or given[0].trained]
    else:
        origins = [one for one in origins if not one.held]
    kept = tuple((one.index, one.size) for one in origins)
    extra = kernel.output.size.times(INDICES) if pooled else Size(0)
    working = [kernel.output.size, *(value.size for value in kernel.inputs if value.trained and not value.held
                                     and not (kernel.kind == "convolve" and _is_joined(tape, value)))]
    return Stage(kernel, kept, extra, (*working, *scratch))


def _is_wide(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Differences from the mean in float32 of a tensor of half the width: a reduction of few rows gives them beside the
    variance, and the way back reads them; one of more is split in two (xla/service/gpu/reduction_utils.cc:
    ReductionIsRaceFree)."""
    x = kernel.inputs[0] if kernel.kind == "sqdiff" and kernel.output.trained else None
    if x is None or x.made < 0 or tape.kernels[x.made].kind != "cast":
        return False
    narrow = tape.kernels[x.made].inputs[0].size.item < x.size.item
    columns = max(1, kernel.inputs[1].size.fixed)
    return narrow and columns <= COLUMNS and (x.size.fixed + x.size.each * batch) // columns <= ROWS


def _is_read(tape: Tape, kernel: Kernel) -> bool:
    """Whether the way back computes something of what the kernel puts out, or the loss does: not where it is only added
    or joined."""
    todo = [kernel.output.index]
    while todo:
        readers = tape.readers(todo.pop())
        if not readers or any(reader.kind not in PASSING and reader.kind not in ENDING for reader in readers):
            return True
        todo += [reader.output.index for reader in readers if reader.kind in PASSING]
    return False


def _is_joined(tape: Tape, value: Value) -> bool:
    """What is joined for one convolution is freed once its kernel's gradient is there; then comes its own gradient."""
    return value.made >= 0 and tape.kernels[value.made].kind == "concat" and len(tape.readers(value.index)) == 1


def _origin(tape: Tape, value: Value) -> Value:
    """What a view looks at; a convolution pads by itself."""
    while value.made >= 0 and (tape.kernels[value.made].view or tape.kernels[value.made].kind == "pad"):
        value = tape.kernels[value.made].inputs[0]
    return value


def _bytes(size: Size) -> tuple[int, int]:
    return size.fixed * size.item, size.each * size.item


def _backward(stages: list[Stage], first: dict[int, int]) -> Iterator[Moment]:
    """From the last stage to the first; what a stage kept is freed once nothing before it reads it."""
    fixed = each = 0
    for size in _kept(stages).values():
        fixed, each = fixed + _bytes(size)[0], each + _bytes(size)[1]
    for stage in stages:
        fixed, each = fixed + _bytes(stage.extra)[0], each + _bytes(stage.extra)[1]
    for place in range(len(stages) - 1, -1, -1):
        stage = stages[place]
        working = [_bytes(size) for size in stage.working]
        yield Moment(fixed + sum(one for one, _ in working), each + sum(one for _, one in working), place)
        for size in (*(size for index, size in set(stage.kept) if first[index] == place), stage.extra):
            fixed, each = fixed - _bytes(size)[0], each - _bytes(size)[1]


def _updates(tape: Tape) -> Moment:
    """The gradients of variables wait until the activations are gone."""
    return Moment(sum(buffer.fixed for buffer in _gradients(tape)), 0, -1)


def _gradients(tape: Tape) -> Iterator[Buffer]:
    trained = {value.index for value, _ in tape.variables}
    for kernel in tape.kernels:
        for value in kernel.inputs if kernel.phase == FORWARD else ():
            if value.index in trained:
                trained.remove(value.index)
                yield Buffer(_bytes(value.size)[0] * (TABLES if kernel.kind == "rows" else 1), 0, kernel, "gradients")


def _kept(stages: list[Stage]) -> dict[int, Size]:
    return {index: size for stage in stages for index, size in stage.kept}


def _alive(stages: list[Stage], first: dict[int, int], place: int) -> Iterator[Buffer]:
    """What is kept at a stage of the way back, told by the stage that keeps it."""
    for number, stage in enumerate(stages):
        if number > place:
            break
        own = [size for index, size in set(stage.kept) if first[index] == number]
        for size in (*own, stage.extra, *(stage.working if number == place else ())):
            if size.fixed or size.each:
                yield Buffer(*_bytes(size), stage.kernel)
