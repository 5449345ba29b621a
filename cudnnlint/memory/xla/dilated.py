"""What XLA has alive for convolutions along one axis whose gaps lie in the batch: gradients of kernels come last."""

from __future__ import annotations

from cudnnlint.ops.kernels.tape import Kernel, Size, Tape

NOTHING = Size(0)


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
