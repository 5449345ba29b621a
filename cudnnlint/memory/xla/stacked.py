"""Gradients of kernels that all matrices of a stack are multiplied with: one of each matrix, before they are added."""

from __future__ import annotations

from cudnnlint.memory.simulate import Buffer
from cudnnlint.memory.xla.schedule import WORKSPACE, bytes_of
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Tape


def of_stacks(tape: Tape, batch: int) -> list[Buffer]:
    """What is alive when the largest of these are made. They add more than they free, and so wait for all else, with
    what they are made of (xla/service/hlo_memory_scheduler.cc: ListScheduler::GetPriority). Products of one operand, as
    query, key and value of a self-attention, are one, and so are their gradients (transforms/dot_merger.cc)."""
    found = [_made(tape, kernels) for kernels in _groups(tape)]
    waiting = [one for one in found if size_of(one[:1], batch) > size_of(one[1:], batch)]
    if not waiting:
        return []
    most = max(waiting, key=lambda one: size_of(one, batch))
    rest = [buffer for one in waiting if one is not most for buffer in one[1:]]
    return [*most, *rest, Buffer(*bytes_of(WORKSPACE), most[0].kernel, "transient")]


def size_of(buffers: list[Buffer], batch: int) -> int:
    return sum(one.fixed + one.each * batch for one in buffers)


def _groups(tape: Tape) -> list[list[Kernel]]:
    """Products by what they take."""
    found: dict[int, list[Kernel]] = {}
    for kernel in tape.kernels if tape.stacks else ():
        if kernel.phase == FORWARD and kernel.kind == "contract" and kernel.inputs[-1].index in tape.stacks:
            found.setdefault(kernel.inputs[0].index, []).append(kernel)
    return list(found.values())


def _made(tape: Tape, kernels: list[Kernel]) -> list[Buffer]:
    """The gradients, what the products took, and the gradients of what they put out."""
    wide = [bytes_of(tape.stacks[kernel.inputs[-1].index]) for kernel in kernels]
    first = kernels[0]
    return [Buffer(sum(one[0] for one in wide), sum(one[1] for one in wide), first, "transient"),
            Buffer(*bytes_of(first.inputs[0].size), first),
            *(Buffer(*bytes_of(kernel.output.size), kernel, "transient") for kernel in kernels)]
