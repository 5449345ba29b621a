"""What XLA computes once, though a program asks for it several times (xla/service/hlo_cse.cc), and what twice."""

from __future__ import annotations

from cudnnlint.memory.once import once
from cudnnlint.memory.xla.values import HEAVY, RECTIFIED, above, alike, origin
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Tape, Value


def padded_once(tape: Tape) -> None:
    """Convolutions that take the same, padded and moved into the batch alike, as the two of a gated unit do, share that
    copy. Which gaps it was moved for is told by its size and by that of what it is convolved with."""
    weights = {kernel.inputs[0].index: kernel.inputs[1].size for kernel in tape.kernels if kernel.kind == "convolve"}

    def padded(kernel: Kernel) -> object:
        if kernel.phase != FORWARD:
            return None
        return kernel.inputs[0].index, kernel.output.size, weights.get(kernel.output.index)

    once(tape, tape.kernels, padded, ("spaced",))


def is_again_padded(tape: Tape, kernel: Kernel) -> bool:
    """Whether a convolution, and the gradient of its kernel, each take a copy of their own of what they pad, computed
    with its padding of what was put out before: then that itself is never there, but right after a convolution that is
    only rectified. What a max-pool gives is pooled again with it."""
    if kernel.output.index not in tape.repadded:
        return False
    x = origin(tape, kernel.inputs[0])
    if x.made < 0 or not x.trained:
        return False
    maker = tape.kernels[x.made]
    if maker.kind == "max_pool":
        return True
    before = alike(tape, maker.inputs[0]) if maker.kind in RECTIFIED else x
    return before.made >= 0 and tape.kernels[before.made].kind not in HEAVY


def pooled_again(tape: Tape, kernel: Kernel) -> list[Value]:
    """What convolutions put out that such a convolution's input is pooled of, and its padded copy computed of."""
    x = origin(tape, kernel.inputs[0])
    pool = tape.kernels[x.made] if x.made >= 0 else None
    return above(tape, pool.inputs[0]) if pool is not None and pool.kind == "max_pool" else []
