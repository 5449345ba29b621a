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
    for places in groups.values():
        fixed = sum(bytes_of(schedule.stages[place].kernel.inputs[-1].size)[0] for place in places)
        kept = [bytes_of(size) for place in range(places[-1] + 1, len(schedule.stages))
                for _, size in schedule.own(place)]
        fixed, each = fixed + bytes_of(WORKSPACE)[0] - sum(one for one, _ in kept), -sum(one for _, one in kept)
        if len(places) > 1 and fixed + each * batch > 0:
            yield Buffer(fixed, each, schedule.stages[places[0]].kernel, "transient")


def _is_weighted(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Whether it is such a product, and small enough."""
    if not is_multiplied(kernel) or not of_weight(tape, kernel.inputs[-1]):
        return False
    return sum(size_at(one.size, batch) for one in (*kernel.inputs, kernel.output)) <= MERGED
