"""What XLA keeps of what a convolution puts out, where it is not all of it, or more."""

from __future__ import annotations

from cudnnlint.memory.xla.values import ALIKE, ENDING, RECTIFIED, SOFTMAX, alike, origin
from cudnnlint.ops.kernels.tape import Kernel, Size, Tape, Value


def is_crossed(tape: Tape, kernel: Kernel) -> bool:
    """Whether a convolution puts out what is compared with numbers of classes: the loss takes its channels in a row, as
    cuDNN has not in float32, so that the kernel that turns them puts out their gradient and the terms of the loss."""
    value = kernel.output
    if kernel.kind != "convolve" or value.size.item != 4:
        return False
    while value.index not in tape.crossed:
        readers = tape.readers(value.index)
        if len(readers) != 1 or readers[0].kind not in ALIKE | SOFTMAX:
            return False
        value = readers[0].output
    return True


def is_moved(tape: Tape, value: Value) -> bool:
    """What a dilated convolution puts out, where it is put back in place, or a transposed one of which a part is cut
    off, and rectified for another one: of that only the signs stay."""
    todo = tape.readers(value.index)
    if not todo or (value.index not in tape.sliced and any(reader.kind != "copy" for reader in todo)):
        return False
    while todo and all(reader.kind in ALIKE for reader in todo):
        todo = [one for reader in todo for one in tape.readers(reader.output.index)]
    if value.index in tape.sliced and any(one.kind != "leaky_relu" for one in todo):
        return False
    after = [one for reader in todo for one in tape.readers(reader.output.index)]
    return all(one.kind in RECTIFIED for one in todo) and all(one.kind in (*ENDING, "spaced") for one in after)


def is_cut(tape: Tape, kernel: Kernel) -> bool:
    """What a transposed convolution puts out, of which a part is cut off, and that is rectified: where it is told by a
    byte each beside the gradient of the bias, which is then written over; but not where zeros of that size are put out
    for a max-pool of what is rectified, which are then selected instead."""
    if kernel.output.index not in tape.sliced:
        return False
    readers = tape.readers(alike(tape, kernel.output, forwards=True).index)
    if len(readers) != 1 or readers[0].kind != "relu":
        return False
    pooled = [origin(tape, one.inputs[0]) for one in tape.kernels if one.kind == "max_pool"]
    return not any(one.size == readers[0].output.size and one.made >= 0 and tape.kernels[one.made].kind == "relu"
                   for one in pooled)


def is_added(tape: Tape, kernel: Kernel) -> bool:
    """What a convolution puts out, where it is only added to what a later one does, which cuDNN adds it to
    (xla/service/gpu/transforms/cudnn_fused_conv_rewriter.cc: FuseBiasOrSideInput)."""
    value = alike(tape, kernel.output, forwards=True)
    readers = tape.readers(value.index)
    if kernel.kind != "convolve" or len(readers) != 1 or readers[0].kind != "add":
        return False
    others = [alike(tape, one) for one in readers[0].inputs if one is not value]
    makers = [tape.kernels[one.made] for one in others if one.made >= 0]
    return any(one.kind == "convolve" and one.output.made > kernel.output.made
               and alike(tape, one.output, forwards=True) in readers[0].inputs for one in makers)


def largest_marked(tape: Tape, kernel: Kernel) -> Size:
    """Bytes of what tells where the largest are of what a convolution along one axis puts out, for a global max-pool,
    if it is normalised before: the kernel that counts these gives it too, and where that is rectified also what of it
    is cut off; as seen with 1,024 and 1,152 places along one axis, and not with 1,024 and 2,304 along two."""
    todo, marks, seen, normed = [kernel.output], 1, {kernel.output.index}, False
    if kernel.output.index not in tape.flat:
        return Size(0)
    while todo:
        for reader in tape.readers(todo.pop().index):
            normed = normed or reader.kind == "sqdiff"
            if reader.kind == "max" and reader.output.trained:
                return kernel.output.size.of(1).times(marks if normed else 0)
            if reader.kind not in ENDING and reader.output.index not in seen \
                    and reader.output.size.each == kernel.output.size.each:
                marks += reader.kind == "relu"
                seen.add(reader.output.index)
                todo.append(reader.output)
    return Size(0)


def swapped(tape: Tape, kernel: Kernel) -> Size:
    """The padded copy of a kernel that is taken for what is convolved, for the gradient of what a convolution takes, or
    for what a transposed one puts out: little else is there when that runs forwards."""
    unfolds = tape.unfolds.get(kernel.output.index)
    needed = kernel.inputs[0].trained or (unfolds is not None and unfolds.turned)
    return tape.swapped.get(kernel.output.index, Size(0)) if needed else Size(0)
