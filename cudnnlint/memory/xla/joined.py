"""What XLA puts out of joined tensors that are normalised, as in a DenseNet, in place of joining them again."""

from __future__ import annotations

from cudnnlint.memory.xla.values import origin, size_at
from cudnnlint.ops.kernels.tape import Kernel, Tape

CACHE = 4 << 20
"""The L2 cache of a T4."""
MUCH = 4 * CACHE
AVERAGED = "average_pool"


def is_normalized(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Whether what is joined is put out, in place of being joined again for each of the sums that normalise it: where
    it is too much for that, as seen at 36 MiB and not at 14, and where averages of windows are a part of it, as seen in
    blocks of a DenseNet after the first, in three of four."""
    readers = list(tape.readers(kernel.output.index))
    readers += [one for reader in readers if reader.kind == "cast" for one in tape.readers(reader.output.index)]
    if not any(one.kind == "sqdiff" for one in readers):
        return False
    return size_at(kernel.output.size, batch) > MUCH or _has_averages(tape, kernel)


def _has_averages(tape: Tape, concat: Kernel) -> bool:
    todo = [concat]
    while todo:
        makers = [tape.kernels[one.made] for one in (origin(tape, one) for one in todo.pop().inputs) if one.made >= 0]
        if any(one.kind == AVERAGED for one in makers):
            return True
        todo += [one for one in makers if one.kind == "concat"]
    return False
