"""Scores of an attention under XLA: kept beside their probabilities, or computed again."""

from __future__ import annotations

from cudnnlint.memory.xla.joined import MUCH
from cudnnlint.memory.xla.values import ENDING, SOFTMAX, alike, size_at
from cudnnlint.ops.kernels.tape import Kernel, Tape, Value


def is_scored(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Scores of an attention of which only the probabilities stay, since they are too many for the cache: fewer are
    read again for what comes after (xla/service/gpu/model/gpu_performance_model_base.cc: ReadTime); as seen at 18 MiB
    and not at 16."""
    value = alike(tape, kernel.output, forwards=True)
    readers = tape.readers(value.index)
    narrow = kernel.output.size.item < 4  # probabilities are narrowed, and computed again as wide as they were
    if kernel.kind != "contract" or narrow or size_at(kernel.output.size, batch) <= MUCH or len(readers) != 1:
        return False
    return readers[0].kind in SOFTMAX and _is_weighing(tape, readers[0].output)


def _is_weighing(tape: Tape, value: Value) -> bool:
    """Whether a product takes probabilities, and no dropout stands between; those that a model gives are for a loss."""
    todo, taken = [value], False
    while todo:
        for reader in tape.readers(todo.pop().index):
            if reader.kind == "select":
                return False
            taken = taken or reader.kind == "contract"
            if reader.kind not in ENDING:
                todo.append(reader.output)
    return taken
