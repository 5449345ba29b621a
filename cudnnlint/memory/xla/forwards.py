"""A prediction that XLA compiles: what is widened only to be narrowed again is not put out, products of one value are
computed at once, and what is given back has memory of its own."""

from __future__ import annotations

from cudnnlint.memory.xla.values import HEAVY, alike, size_at
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Size, Tape, Value

MERGED = 32 << 20
"""xla/debug_options_flags.cc: xla_gpu_dot_merger_threshold_mb."""


def put_out(tape: Tape, value: Value) -> tuple[int, int]:
    """Bytes of what is given back, fixed and of each sample: they are there from the start, and what is written over in
    place on the way to it lies in them."""
    size, more = value.size, True
    while more and not value.held and value.made >= 0:
        value.held = True
        kernel = tape.kernels[value.made]
        before = [one for one in kernel.inputs if one.size == size and len(tape.readers(one.index)) == 1]
        more = bool(before) and (kernel.view or kernel.reuse)
        value = before[0] if before else value
    return size.fixed * size.item, size.each * size.item


def merge(tape: Tape, batch: int) -> None:
    """Products of one value with several weights, as those of an attention, give one tensor, of which each is a part
    (xla/hlo/transforms/simplifiers/dot_merger.cc)."""
    found: dict[int, list[Kernel]] = {}
    for kernel in tape.kernels:
        if kernel.kind == "contract" and kernel.inputs[-1].held and size_at(kernel.output.size, batch) <= MERGED:
            found.setdefault(alike(tape, kernel.inputs[0]).index, []).append(kernel)
    for first, *others in found.values():
        sizes = [one.output.size for one in (first, *others)]
        if others and len({size.item for size in sizes}) == 1:
            first.output.size = Size(sum(size.fixed for size in sizes), sum(size.each for size in sizes),
                                     sizes[0].item)
            for one in others:
                one.inputs, one.view = (first.output,), True


def narrow(tape: Tape) -> None:
    """Count what lies between a cast to float32 and the casts back, as in a normalisation, as wide as what it is of."""
    back: dict[int, int] = {}
    for kernel in reversed(tape.kernels):
        width = _narrowed(tape, kernel, back)
        if kernel.phase == FORWARD and width:
            back[kernel.output.index] = width
    for index, width in back.items():
        value = tape.values[index]
        value.size = value.size.of(width)


def _narrowed(tape: Tape, kernel: Kernel, back: dict[int, int]) -> int:
    """The width of what all that reads a kernel's output gives in the end; 0 where one of them needs it as it is."""
    item, readers = kernel.output.size.item, tape.readers(kernel.output.index)
    widths = [back.get(one.output.index, one.output.size.item if one.kind == "cast" else item) for one in readers]
    if kernel.kind in HEAVY or not readers or any(one.kind in HEAVY for one in readers) or max(widths) >= item:
        return 0
    return max(widths)
