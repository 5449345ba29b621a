"""The end of a step that XLA compiles, where weights take most: their gradients, and what the changes put out.

Of the orders that XLA tries it takes the one that needs least as it counts (memory/xla/schedule.py), and it counts
without knowing what is written in place, nor that what is put out for an optimizer's slots lies beside the old ones
until it is copied there: it takes these for gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from itertools import accumulate

from cudnnlint.memory.simulate import Buffer
from cudnnlint.memory.xla.schedule import WORKSPACE, Schedule, Stage
from cudnnlint.memory.xla.values import of_weight, size_at, uncast
from cudnnlint.ops.kernels.tape import Kernel, Tape, Value
from cudnnlint.records import record

PASSING = "transient"
PRODUCTS = ("contract", "convolve")


@record(frozen=True, slots=True)
class Change:
    """The change of a weight, in bytes.

    made    its gradient; fresh: all that the optimizer puts out of it; turned: the copy in cuDNN's layout
    beside  of `fresh`, what is there beside the gradient until it is copied in place: none where it is written there
    slots   of that, what is copied last, depth first
    freed   what the gradient is made of, for this batch
    """

    stage: Stage
    made: int
    fresh: int
    turned: int
    beside: int
    slots: int
    freed: int


def changes(tape: Tape, schedule: Schedule, batch: int) -> Iterator[tuple[int, Change]]:
    """Of the weights that convolutions and products take, each with the place of its stage."""
    for place, stage in enumerate(schedule.stages):
        weights = _weights(tape, stage.kernel)
        if weights:
            made = sum([_bytes(value) for value in weights])
            whole = sum([_bytes(value if value.held else uncast(tape, value)) for value in weights])
            turned = made if stage.kernel.kind == "convolve" else 0
            fresh, beside = whole * (1 + tape.slots), whole * bool(turned)
            weighs = stage.weighs or ()
            taken = [stage.given, *[size for index, size in schedule.owned[place] if index in weighs]]
            freed = sum([size_at(size, batch) for size in taken]) - turned
            yield place, Change(stage, made, fresh, turned, fresh * bool(turned), beside * tape.slots, max(0, freed))


def _weights(tape: Tape, kernel: Kernel) -> list[Value]:
    if kernel.kind not in PRODUCTS:
        return []
    return [value for value in kernel.inputs if value.trained and (value.held or of_weight(tape, value))]


def _bytes(value: Value) -> int:
    return value.size.fixed * value.size.item


def piled(tape: Tape, schedule: Schedule, batch: int) -> int:
    """Bytes at the end of the order that always takes what frees most or adds least: a change adds what it puts out,
    and so waits for all gradients that are smaller than that, as equal ones of several layers are."""
    found = [change for _, change in changes(tape, schedule, batch)]
    ready = [(one.made - one.freed, number, False) for number, one in enumerate(found)]
    heapify(ready)
    turned = [one.turned if one.made > one.freed else 0 for one in found]
    alive, most = sum(turned), 0
    while ready:
        _, number, is_made = heappop(ready)
        one = found[number]
        if is_made:
            most = max(most, alive + one.fresh)
            alive -= one.made + turned[number]
        else:
            alive += one.made
            heappush(ready, (one.fresh - one.made - one.turned, number, True))
    return most


def counted(tape: Tape, schedule: Schedule, batch: int) -> int:
    """Bytes at the end of an order depth first as XLA counts them when it compares."""
    left = _behind(schedule, batch)
    return max((one.made + one.fresh + left[place] for place, one in changes(tape, schedule, batch)), default=0)


def _behind(schedule: Schedule, batch: int) -> list[int]:
    """Bytes of what the gradients are made of that come last, of a stage and all behind it."""
    sizes = [0] * len(schedule.stages)
    for place, one in schedule.left():
        sizes[place] += one.fixed + one.each * batch
    return list(accumulate(reversed(sizes)))[::-1]


def last(tape: Tape, schedule: Schedule, batch: int, changed: Iterable[Buffer]) -> tuple[int, list[Buffer]]:
    """What comes to be alive when most is, of the changes that come when all gradients of activations are there: one
    after another as the layers stand, beside what the gradients of those behind it are made of (Schedule.left() from
    its place on), and what was put out for the slots of those before it. Gradients of tables, of those `changed`, come
    first."""
    found = list(changes(tape, schedule, batch))
    left, waits = _behind(schedule, batch), [0, *accumulate(one.slots for _, one in found)]
    tables = [one for one in changed if one.kernel.kind == "rows"]
    ways = [left[place] + waits[number] + one.made + (one.beside or WORKSPACE.fixed)
            for number, (place, one) in enumerate(found)]
    if not found or sum(one.fixed for one in tables) + left[0] > max(ways):
        return 0, tables
    number = ways.index(max(ways))
    place, one = found[number]
    kernel = one.stage.kernel
    waiting = [Buffer(before.slots, 0, before.stage.kernel, PASSING) for _, before in found[:number] if before.slots]
    return place, [*waiting, Buffer(one.made, 0, kernel, "gradients"),
                   Buffer(one.beside or WORKSPACE.fixed, 0, kernel, PASSING)]
