"""What XLA computes once, though a program asks for it several times (xla/service/hlo_cse.cc)."""

from __future__ import annotations

from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Tape, Value


def padded_once(tape: Tape) -> None:
    """Convolutions that take the same, padded and moved into the batch alike, as the two of a gated unit do, share that
    copy. Which gaps it was moved for is told by its size and by that of what it is convolved with."""
    weights = {kernel.inputs[0].index: kernel.inputs[1].size for kernel in tape.kernels if kernel.kind == "convolve"}
    same: dict[int, Value] = {}
    found: dict[object, Value] = {}
    kept: list[Kernel] = []
    for kernel in tape.kernels:
        if same:
            kernel.inputs = tuple([same.get(value.index, value) for value in kernel.inputs])
        if kernel.kind == "spaced" and kernel.phase == FORWARD:
            key = kernel.inputs[0].index, kernel.output.size, weights.get(kernel.output.index)
            known = found.setdefault(key, kernel.output)
            if known is not kernel.output:
                same[kernel.output.index] = known
                continue
        kernel.output.made = len(kept)
        kept.append(kernel)
    tape.kernels = kept
