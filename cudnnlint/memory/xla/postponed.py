"""What XLA has alive of a stage in an order in which everything is computed when something reads it."""

from __future__ import annotations

from dataclasses import replace

from cudnnlint.memory.xla.kept import is_normed
from cudnnlint.memory.xla.pools import is_compared
from cudnnlint.memory.xla.schedule import NOTHING, Stage, bytes_of
from cudnnlint.memory.xla.values import origin
from cudnnlint.ops.kernels.tape import Size, Tape


def postponed(tape: Tape, stage: Stage) -> Stage:
    """Zeros come when gradients are added to them, but for those that a ReLU puts out and is compared with; what a
    max-pool takes of a normalisation is computed again when it is told where the largest were."""
    kernel = stage.kernel
    if not kernel.output.trained:
        return stage
    if kernel.kind == "resized":
        return replace(stage, kept=(), extra=NOTHING, given=kernel.inputs[0].size)
    if kernel.kind != "max_pool":
        return stage
    taken = kernel.inputs[0].size
    value = origin(tape, kernel.inputs[0])
    maker = tape.kernels[value.made] if value.made >= 0 else None
    again = maker is not None and maker.kind == "relu" and is_normed(tape, maker.inputs[0])
    early = is_compared(tape, kernel)
    moved = [bytes_of(one) for one in (stage.given, taken, *((taken,) if again else ()))]
    given = Size(sum(fixed for fixed, _ in moved), sum(each for _, each in moved), 1)
    return replace(stage, kept=() if again else stage.kept, extra=taken if early else NOTHING, given=given)
