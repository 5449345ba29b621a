"""Sums of a prediction that XLA compiles: added up again by all that read them, where that is not slower."""

from __future__ import annotations

from cudnnlint.memory.xla.values import ENDING, alike
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Tape


def fuse_sums(tape: Tape) -> None:
    """From the last sum to the first: kernels that read one read its parts, which are there until then, as in the
    residual network of a WaveNet; so XLA goes about it (xla/service/gpu/transforms/priority_fusion.cc: the highest
    priority first, of equal ones the last)."""
    for kernel in tape.kernels:
        if kernel.kind == "spaced" and kernel.phase == FORWARD:
            _move_once(tape, kernel)
    sums = [kernel for kernel in tape.kernels if kernel.kind == "add" and kernel.phase == FORWARD]
    readers = {kernel.output.index: list(tape.readers(kernel.output.index)) for kernel in sums}
    for kernel in reversed(sums):
        index = kernel.output.index
        found = list({id(one): one for one in readers[index]}.values())
        if not _is_fused(tape, kernel, found):
            continue
        for reader in found:
            rest = [value for value in reader.inputs if value.index != index]
            reader.inputs = tuple({value.index: value for value in (*kernel.inputs, *rest)}.values())
        kernel.view = True
        for value in kernel.inputs:
            if value.index in readers:
                readers[value.index] = [one for one in readers[value.index] if one is not kernel] + found


def _move_once(tape: Tape, kernel: Kernel) -> None:
    """What is padded and then moved out of the batch is so in one kernel."""
    readers = tape.readers(kernel.output.index)
    if len(readers) == 1 and readers[0].kind == "spaced":
        kernel.output.size = readers[0].output.size
        readers[0].view = True


def _is_fused(tape: Tape, kernel: Kernel, readers: list[Kernel]) -> bool:
    """Whether its parts are read by each reader: that is no more to read and write than to put it out. Convolutions and
    products read what is put out; what is moved out of the batch but not tile by tile is read too slowly to read more.
    """
    whole = kernel.output.size
    if kernel.output.held or not readers or any(value.held or value.size != whole for value in kernel.inputs):
        return False
    if any(one.kind in ENDING or (one.kind == "spaced" and not _is_fast(tape, one)) for one in readers):
        return False
    parts, times = len(kernel.inputs), len(readers)
    return parts * times <= parts + 1 + times


def _is_fast(tape: Tape, spaced: Kernel) -> bool:
    """Whether it only pads, or moves what it pads out of the batch by tiles."""
    for reader in tape.readers(spaced.output.index):
        if reader.kind == "spaced":
            return _is_fast(tape, reader)
        if reader.kind == "convolve" and alike(tape, reader.output).index in tape.lines:
            return reader.output.index in tape.tiled
    return True
