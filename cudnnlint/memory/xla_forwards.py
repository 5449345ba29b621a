"""A prediction that XLA compiles: what is widened only to be narrowed again is computed on the way, and not put out."""

from __future__ import annotations

from cudnnlint.memory.xla_values import HEAVY
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Tape


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
