"""Products of one value with several weights, as those of the heads of a model: one product, of joined weights."""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.memory.simulate import Buffer
from cudnnlint.memory.xla.forwards import MERGED
from cudnnlint.memory.xla.schedule import WORKSPACE, Schedule, bytes_of
from cudnnlint.memory.xla.values import alike, is_multiplied, of_weight, size_at
from cudnnlint.ops.kernels.tape import Kernel, Tape


def joined_weights(tape: Tape, schedule: Schedule, batch: int) -> Iterator[Buffer]:
    """What is there while such a product runs on the way forward, beyond all that is kept in the end: the weights side
    by side, in memory of their own, and the scratch, less what is kept only afterwards (xla/hlo/transforms/simplifiers/
    dot_merger.cc)."""
    groups: dict[int, list[int]] = {}
    for place, stage in enumerate(schedule.stages):
        if _is_weighted(tape, stage.kernel, batch):
            groups.setdefault(alike(tape, stage.kernel.inputs[0]).index, []).append(place)
    several = [places for places in groups.values() if len(places) > 1]
    behind = _behind(schedule) if several else []
    for places in several:
        kernels = [schedule.stages[place].kernel for place in places]
        later, share = behind[places[-1] + 1]
        fixed = sum(bytes_of(one.inputs[-1].size)[0] for one in kernels) + bytes_of(WORKSPACE)[0] - later
        if fixed > share * batch:
            yield Buffer(fixed, -share, kernels[0], "transient")


def _behind(schedule: Schedule) -> list[tuple[int, int]]:
    """What is kept from each stage on, fixed bytes and those of each sample."""
    found = [(0, 0)]
    for place in range(len(schedule.stages) - 1, -1, -1):
        sizes = [bytes_of(size) for _, size in schedule.own(place)]
        found.append((found[-1][0] + sum(one for one, _ in sizes), found[-1][1] + sum(one for _, one in sizes)))
    return found[::-1]


def _is_weighted(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Whether it is such a product, and small enough."""
    if not is_multiplied(kernel) or not of_weight(tape, kernel.inputs[-1]):
        return False
    return sum(size_at(one.size, batch) for one in (*kernel.inputs, kernel.output)) <= MERGED
