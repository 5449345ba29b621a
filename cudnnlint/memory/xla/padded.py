"""What XLA computes once, though a program asks for it several times (xla/service/hlo_cse.cc)."""

from __future__ import annotations

from cudnnlint.memory.once import once
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Tape


def padded_once(tape: Tape) -> None:
    """Convolutions that take the same, padded and moved into the batch alike, as the two of a gated unit do, share that
    copy. Which gaps it was moved for is told by its size and by that of what it is convolved with."""
    weights = {kernel.inputs[0].index: kernel.inputs[1].size for kernel in tape.kernels if kernel.kind == "convolve"}

    def padded(kernel: Kernel) -> object:
        if kernel.kind != "spaced" or kernel.phase != FORWARD:
            return None
        return kernel.inputs[0].index, kernel.output.size, weights.get(kernel.output.index)

    once(tape, tape.kernels, padded)
