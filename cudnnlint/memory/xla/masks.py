"""Bytes that XLA keeps in place of numbers: which of them are cut off, or dropped."""

from __future__ import annotations

from cudnnlint.memory.xla.joined import CACHE
from cudnnlint.memory.xla.values import alike, size_at
from cudnnlint.ops.kernels.tape import Kernel, Tape

BITS = 4
"""Bytes that are drawn for an element of a dropout's mask."""


def has_signs(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Whether it is told apart once, for the way back too, which of its operands are cut off: after a normalisation,
    and of a relu6 where it is too much for the cache; one that is padded is computed anew with its padding. Before a
    normalisation only of what a transposed convolution puts out, of which a part is cut off."""
    before = tape.kernels[kernel.inputs[0].made] if kernel.inputs[0].made >= 0 else None
    if kernel.output.trained and alike(tape, kernel.inputs[0]).index in tape.sliced:
        return any(reader.kind == "sqdiff" for reader in tape.readers(kernel.output.index))
    if not kernel.output.trained or before is None or before.kind != "add":
        return False
    if kernel.kind == "relu6" and size_at(kernel.output.size, batch) < CACHE:
        return False
    return not any(reader.kind == "pad" or reader.output.index in tape.padded
                   for reader in tape.readers(kernel.output.index))


def is_moved_twice(tape: Tape, relu: Kernel) -> bool:
    """Whether it is the second half of a PReLU of what was moved before (depth_to_space): the kernel that moves it puts
    out both halves, and of each what is cut off."""
    neg = tape.kernels[relu.inputs[0].made] if relu.inputs[0].made >= 0 else None
    if neg is None or neg.kind != "neg" or neg.inputs[0].made < 0:
        return False
    x = neg.inputs[0]
    return tape.kernels[x.made].kind == "copy" and any(one.kind == "relu" for one in tape.readers(x.index))


def is_mask(tape: Tape, kernel: Kernel) -> bool:
    """The mask of a dropout: what it is drawn from is not drawn again."""
    drawn = kernel.inputs[0].made >= 0 and tape.kernels[kernel.inputs[0].made].kind == "random"
    readers = tape.readers(kernel.output.index)
    return drawn and any(reader.kind == "select" and reader.output.trained for reader in readers)


def is_costly_drop(tape: Tape, kernel: Kernel) -> bool:
    """Whether a dropout comes right after what takes an exponential: then the bits stay that its mask is made of, but
    after a GELU in half precision, of which the part that takes it is kept itself (_keeps_erfc)."""
    taken = [alike(tape, reader.inputs[-1]) for reader in tape.readers(kernel.output.index) if reader.kind == "select"]
    makers = [tape.kernels[value.made] for value in taken if value.made >= 0]
    return any(maker.kind == "selu" or (maker.kind == "mul" and maker.output.size.item >= 4 and _is_gelu(tape, maker))
               for maker in makers)


def _is_gelu(tape: Tape, maker: Kernel) -> bool:
    inputs = [alike(tape, value) for value in maker.inputs]
    made = [tape.kernels[value.made].kind for value in inputs if value.made >= 0]
    return "erfc" in made and "contract" in made
