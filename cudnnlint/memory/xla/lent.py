"""The memory of kernels, which XLA lends: one that was copied into cuDNN's layout lies idle until its new value comes.

A step is given its variables to write over (donated), and each buffer takes the smallest one there is that it fits
into and that is idle as long as it lasts, the largest buffer first (xla/service/buffer_assignment.cc:
BufferAssigner::AssignSingleHloBuffer, MaybeAssignBuffer). Where weights take more than activations, as in a U-Net on
few images, it is much: 27 of 269 MiB of one with four, 68 of 256 MiB of a ResNet-18 with sixteen.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from cudnnlint.memory.xla.schedule import Schedule, Stage, bytes_of, scheduled
from cudnnlint.ops.kernels.tape import Tape

LATE = 2
"""An optimizer that keeps so many numbers of each weight changes all kernels in the end, the first layer's first; and
the kernels of one network change before those of another. Then the copy of a kernel lasts longer than the memory of the
one before lies idle."""



def lend(tape: Tape, schedule: Schedule, batch: int) -> Schedule:
    """Without what lies in idle memory from the way forward to the way back."""
    copies = {index: place for place, stage in enumerate(schedule.stages) for index in _copies(tape, stage)
              if schedule.first[index] == place}
    idle: dict[int, list[int]] = {}
    for index, place in copies.items():
        idle.setdefault(tape.values[index].size.fixed * tape.values[index].size.item, []).append(place)
    lent: set[int] = set()
    for size, born, index in sorted(_kept(schedule, batch), key=lambda one: (-one[0], one[1])):
        if index in copies and (tape.several or tape.slots >= LATE):
            continue
        if _is_taken(idle, size, born):
            lent.add(index)
    if not lent:
        return schedule
    stages = [replace(stage, kept=tuple(one for one in stage.kept if one[0] not in lent)) for stage in schedule.stages]
    told = scheduled(stages, schedule.first, schedule.deep, schedule.waiting, schedule.until)
    return replace(told, crowded=schedule.crowded)


def _is_taken(idle: dict[int, list[int]], size: int, before: int) -> bool:
    """Take the smallest that is large enough, the latest of these that lies idle `before` a stage; whether there is
    any."""
    for room in sorted(room for room in idle if room >= size):
        if number := bisect_left(idle[room], before):
            del idle[room][number - 1]
            return True
    return False


def _copies(tape: Tape, stage: Stage) -> list[int]:
    """The kernels of a convolution of which only a copy is read from here on."""
    if stage.kernel.kind != "convolve" or stage.kernel.output.index in tape.beside:
        return []
    return [index for index, _ in stage.kept if 0 <= index < len(tape.values)
            and tape.values[index].held and tape.values[index].trained]


def _kept(schedule: Schedule, batch: int) -> list[tuple[int, int, int]]:
    """(bytes, place, by what) of all that is kept."""
    found = []
    for place in range(len(schedule.stages)):
        for index, size in schedule.own(place)[:-1]:
            fixed, each = bytes_of(size)
            found.append((fixed + each * batch, place, index))
    return found
