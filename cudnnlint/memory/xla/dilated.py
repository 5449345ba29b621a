"""What XLA has alive for convolutions along one axis, where gradients of kernels come last: of those whose gaps lie in
the batch, and of several that take the same."""

from __future__ import annotations

from cudnnlint.memory.xla.values import HEAVY, origin
from cudnnlint.ops.kernels.tape import Kernel, Size, Tape

NOTHING = Size(0)
COPIES = -1 << 48
JOINED = frozenset({"add", "mul"})
PLAIN = frozenset({"bias", "relu", "add", "view", "max", "mean", "concat"})
"""Through which the second axis that is put in for cuDNN is moved, so that what comes back to a convolution has it:
then the gradient of its kernel is not told from a convolution forwards, and takes copies of what it reads with the
samples as features (xla/service/gpu/transforms/conv_rewriter.cc: MaybeConv1dToConv2d; reshape_mover.cc)."""


def is_spaced(tape: Tape, kernel: Kernel) -> bool:
    """Whether it convolves, along one axis, what TensorFlow moved into the batch; in two dimensions nothing waits."""
    return kernel.kind == "convolve" and kernel.output.trained and kernel.output.index in tape.lines


def moved_back(tape: Tape, kernel: Kernel) -> Size:
    """The gradient of the input as the convolution gives it, beside that which is moved back."""
    return kernel.inputs[0].size if is_spaced(tape, kernel) and kernel.inputs[0].trained else NOTHING


def waiting(tape: Tape, kernels: list[Kernel]) -> list[tuple[int, int]]:
    """Fixed bytes and bytes of each sample at each stage that wait for the gradients of kernels of the stages behind:
    these take another copy of the input, with the samples as features, and are put off while anything else can be
    computed (xla/service/hlo_memory_scheduler.cc: ListScheduler::GetPriority)."""
    found, fixed, each = list[tuple[int, int]](), 0, 0
    for kernel in reversed(kernels):
        found.append((fixed, each))
        for size in (kernel.inputs[0].size, kernel.output.size) if is_spaced(tape, kernel) else ():
            fixed, each = fixed + size.fixed * size.item, each + size.each * size.item
    return found[::-1]


def copied_with(tape: Tape, kernel: Kernel) -> tuple[tuple[int, Size], ...]:
    """The copy of what such a convolution takes, where that is a product or a sum of what others put out, as in a gated
    unit: one kernel puts out both. Of what is moved out of the batch tile by tile it is made later."""
    x = origin(tape, kernel.inputs[0])
    maker = tape.kernels[x.made] if x.made >= 0 else None
    if maker is None or maker.kind not in JOINED or not all(one.size.each == x.size.each for one in maker.inputs):
        return ()
    if kernel.output.index not in tape.steady or not _is_plain(tape, kernel) or _is_tiled(tape, maker):
        return ()
    return (COPIES - x.index, x.size),


def _is_tiled(tape: Tape, maker: Kernel) -> bool:
    todo = list(maker.inputs)
    while todo:
        value = todo.pop()
        if value.index in tape.tiled:
            return True
        if value.made >= 0 and tape.kernels[value.made].kind not in HEAVY:
            todo += tape.kernels[value.made].inputs
    return False


def waiting_beside(tape: Tape, kernels: list[Kernel], *, deep: bool) -> list[tuple[int, int]]:
    """The same of convolutions beside each other, as in a network for texts: the copy of what they all take is made
    when their gradients of it are added up. Until then what came back to each of them waits, as all does depth first;
    and the sum is there beside what it is of, and beside what they take."""
    groups: dict[int, list[int]] = {}
    for place, kernel in enumerate(kernels):
        if kernel.output.index in tape.steady and kernel.inputs[0].trained and _is_plain(tape, kernel):
            groups.setdefault(origin(tape, kernel.inputs[0]).index, []).append(place)
    told = [[0, 0] for _ in kernels]
    for index, (last, *others) in groups.items():
        waits = [] if deep else [(place, kernels[place].output.size) for place in others]
        summed = tape.values[index].size.times(1 if deep else 2)
        for first, size in (*waits, *((last + 1, summed) for _ in others[:1])):
            for one in told[last:first]:
                one[0] += size.fixed * size.item
                one[1] += size.each * size.item
    return [(fixed, each) for fixed, each in told]


def _is_plain(tape: Tape, kernel: Kernel) -> bool:
    todo = [kernel.output]
    while todo:
        for reader in tape.readers(todo.pop().index):
            if reader.kind in HEAVY:
                continue
            if reader.kind not in PLAIN:
                return False
            if reader.kind not in ("max", "mean"):
                todo.append(reader.output)
    return True
