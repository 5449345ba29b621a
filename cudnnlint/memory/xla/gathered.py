"""Sums of many parts under XLA: put out once, where to add the parts again for the way back takes longer."""

from __future__ import annotations

from collections.abc import Set

from cudnnlint.memory.xla.kept import PASSING, read
from cudnnlint.memory.xla.values import HEAVY
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Tape, Value

FEW = 3
"""A sum that two kernels need, one on the way forward and one on the way back, is read or written three times beside
its parts, or its parts are read twice: the latter takes longer for more parts than these."""


def is_gathered(tape: Tape, kernel: Kernel) -> bool:
    """Whether it is such a sum, and something computes of it: the skip connections of a WaveNet before their ReLU."""
    if kernel.kind != "add" or kernel.phase != FORWARD or not kernel.output.trained:
        return False
    readers = tape.readers(kernel.output.index)
    if not readers or any(reader.kind in PASSING for reader in readers):
        return False
    return len(parts(tape, kernel)) > FEW


def parts(tape: Tape, kernel: Kernel) -> list[Value]:
    """What is added up by sums that nothing else reads."""
    found: dict[int, Value] = {}
    todo = [*kernel.inputs]
    while todo:
        value = todo.pop()
        maker = tape.kernels[value.made] if value.made >= 0 else None
        if maker is not None and maker.kind == "add" and value.trained and len(tape.readers(value.index)) == 1:
            todo += maker.inputs
        elif value.trained and value.size.each:
            found[value.index] = value
    return list(found.values())


def passing(tape: Tape, kernel: Kernel, held: Set[int]) -> list[Value]:
    """Of its parts what convolutions and products put out, and nothing else keeps: all there when they are added up,
    but for those that nothing else reads, as where a block hands on another convolution: each of these is added to what
    is there as it is made (xla/service/gpu/transforms/cudnn_fused_conv_rewriter.cc: FuseBiasOrSideInput)."""
    outputs = [_heavy(tape, value) for value in parts(tape, kernel) if len(tape.readers(value.index)) > 1]
    return [made.output for made in outputs if made is not None and read(tape, made, {*held}) is None]


def _heavy(tape: Tape, value: Value) -> Kernel | None:
    """The convolution or product that a value is, but for a bias."""
    while value.made >= 0 and (tape.kernels[value.made].kind == "bias" or tape.kernels[value.made].view):
        value = tape.kernels[value.made].inputs[0]
    maker = tape.kernels[value.made] if value.made >= 0 else None
    return maker if maker is not None and maker.kind in HEAVY else None
