"""What XLA has alive of layers through which nothing is trained: what they read and write, and what waits meanwhile."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping

from cudnnlint.memory.xla.schedule import NOTHING, Stage, bytes_of
from cudnnlint.memory.xla.values import HEAVY, above, is_put_out, origin, written_over
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Size, Tape, Value


def frozen(tape: Tape, kernel: Kernel, scratch: Size, until: Mapping[int, int]) -> Stage:
    """Nothing stays: it reads and writes, after what it reads was computed of what the kernels before put out."""
    taken = [value for value in kernel.inputs if not value.held]
    over = [written_over(tape, kernel, value) for value in taken]
    made = [one for value in taken for one in above(tape, value) if all(one is not each for each in over)]
    waiting = [tape.values[index] for index, last in until.items()
               if tape.values[index].made < kernel.output.made < last]
    ways = [[*way, *_without(tape, waiting, way, over)] for way in ([kernel.output, *taken], [*taken, *made])]
    most = max(ways, key=lambda way: (sum(value.size.each * value.size.item for value in way),
                                      sum(value.size.fixed * value.size.item for value in way)))
    return Stage(kernel, (), NOTHING, tuple(value.size for value in most), scratch=scratch)


def _without(tape: Tape, waiting: Iterable[Value], way: Iterable[Value], over: Iterable[Value | None]) -> list[Value]:
    there = {origin(tape, one).index for one in way} | {one.index for one in over if one is not None}
    return [one for one in waiting if one.index not in there]


def waits_until(tape: Tape) -> dict[int, int]:
    """What is put out of layers through which nothing is trained -> the last convolution or product that it is needed
    for, where others run before that: as the way round a block."""
    heavy = [kernel for kernel in tape.kernels if kernel.phase == FORWARD and kernel.kind in HEAVY]
    if all(kernel.output.trained for kernel in heavy):
        return {}
    needed = _needed(tape, heavy)
    until = {index: last for index, last in needed.items() if (one := tape.values[index]).made >= 0 and not one.trained
             and bytes_of(one.size)[1]}
    places = [kernel.output.made for kernel in heavy]
    return {index: last for index, last in until.items() if places[bisect(places, tape.values[index].made)] < last}


def _needed(tape: Tape, heavy: Iterable[Kernel]) -> dict[int, int]:
    """What convolutions and products take, and all that is put out above that (`values.above`) -> the last of them, in
    one pass from the last value to the first."""
    until, through = dict[int, int](), dict[int, int]()
    for kernel in heavy:
        for root in (origin(tape, value) for value in kernel.inputs if not value.held):
            until[root.index] = kernel.output.made
            if root.made >= 0 and (maker := tape.kernels[root.made]).kind not in HEAVY:
                through.update((each.index, kernel.output.made) for each in maker.inputs if each.size.each)
    for one in reversed(tape.values):
        if (last := through.get(one.index)) is None or one.made < 0:
            continue
        if is_put_out(tape, one):
            until[one.index] = max(last, until.get(one.index, 0))
        else:
            for each in tape.kernels[one.made].inputs:
                if each.size.each:
                    through[each.index] = max(last, through.get(each.index, 0))
    return until
