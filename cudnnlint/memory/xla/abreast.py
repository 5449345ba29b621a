"""Towers of the same layers under XLA: what does not hang on each other goes back side by side."""

from __future__ import annotations

from cudnnlint.memory.xla.schedule import Stage
from cudnnlint.ops.kernels.tape import FORWARD, Tape


def abreast(tape: Tape, stages: list[Stage]) -> list[Stage]:
    """The stages with those of calls of the same layers next to each other, where no call takes what another one gives,
    as in a siamese network: kernels of one kind free as much in each of them, and so come one after another
    (xla/service/hlo_memory_scheduler.cc: ListScheduler::GetPriority)."""
    layers = [stage.kernel.layer for stage in stages]
    told: list[Stage] = []
    place = 0
    while place < len(stages):
        long, times = _towers(layers, place)
        while times > 1 and _is_chained(tape, stages[place:place + long * times], long):
            times -= 1
        if times > 1:
            told += (stages[place + long * tower + step] for step in range(long) for tower in range(times))
            place += long * times
        else:
            told.append(stages[place])
            place += 1
    return told


def _towers(layers: list[int], place: int) -> tuple[int, int]:
    """How many stages a tower that begins there has, and how many towers there are.

    >>> _towers([1, 2, 3, 2, 3, 2, 3, 4], 1), _towers([1, 2, 3], 0)
    ((2, 3), (0, 1))
    """
    try:
        long = layers.index(layers[place], place + 1) - place
    except ValueError:
        return 0, 1
    whole, times = layers[place:place + long], 1
    while layers[place + long * times:place + long * (times + 1)] == whole:
        times += 1
    return long, times


def _is_chained(tape: Tape, stages: list[Stage], long: int) -> bool:
    """Whether a later tower computes of what an earlier one gives."""
    towers = [stages[start:start + long] for start in range(0, len(stages), long)]
    given = {stage.kernel.output.index for stage in towers[0]}
    ends = {id(stage.kernel) for tower in towers[1:] for stage in tower}
    for kernel in tape.kernels:
        if kernel.phase == FORWARD and any(value.index in given for value in kernel.inputs):
            if id(kernel) in ends:
                return True
            given.add(kernel.output.index)
    return False
