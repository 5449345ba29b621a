"""What is alive as a step runs op by op: kernels run as soon as their operands are there, first in first out.

tensorflow/core/common_runtime/executor.cc: ExecutorState::ScheduleReady; kernels of a GPU count as inexpensive and
run inline (op_kernel.cc: OpKernel::IsExpensive), so that the queue decides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from cudnnlint.memory.order import ranked
from cudnnlint.ops.kernels.tape import FORWARD, TAKEN, Kernel, Tape
from cudnnlint.records import record

Log = list[tuple[int, int, int]]
"""(place of the kernel, value, 1 or -1) for each tensor that comes or goes, in order."""


@record(frozen=True, slots=True)
class Moment:
    """Bytes that are alive at one moment: fixed ones and those of each sample. `place` counts the kernels run."""

    fixed: int
    each: int
    place: int

    def bytes(self, batch: int) -> int:
        return self.fixed + self.each * batch


@record(frozen=True, slots=True)
class Buffer:
    """Memory that is alive at a moment, the kernel that asked for it, and its term ("" for that of the phase)."""

    fixed: int
    each: int
    kernel: Kernel
    term: str = ""


class Simulation:
    """One run of what is on a tape. Without `forwards` nothing is written in place. What becomes ready together runs as
    grappler leaves it (order.py), or, where it is not `ordered`, what was made last first. `apart`: no sum of more than
    two terms is written in place."""

    def __init__(self, tape: Tape, *, forwards: bool = True, ordered: bool = True, apart: bool = False) -> None:
        self.kernels, self.forwards, self.apart = tape.kernels, forwards, apart
        count = len(tape.values)
        self.readers = [0] * count
        self.buffer = list(range(count))
        self.bytes = [(value.size.fixed * value.size.item, value.size.each * value.size.item) for value in tape.values]
        self.given = [value.held for value in tape.values]
        self.consumers: list[list[int]] = [[] for _ in self.kernels]
        self.waits = [0] * len(self.kernels)
        readers, consumers, waits = self.readers, self.consumers, self.waits
        for place, kernel in enumerate(self.kernels):  # it runs after what makes its operands, and what it waits for
            for value in kernel.inputs:
                readers[value.index] += 1
                if value.made >= 0:
                    consumers[value.made].append(place)
                    waits[place] += 1
            if kernel.after is not None and kernel.after.made >= 0:
                consumers[kernel.after.made].append(place)
                waits[place] += 1
        rank = ranked(self.kernels, tape.ends) if ordered else range(0, -len(waits), -1)
        self.starts = [place for place, wait in enumerate(waits) if not wait]
        for after in self.consumers:
            if len(after) > 1:
                after.sort(key=rank.__getitem__)

    def run(self, log: Log) -> list[Moment]:
        """The moments at which most is alive for some batch; each tensor that comes or goes is added to the log. In one
        piece, as it is all that a step of many operations takes long for."""
        readers, waits, alive, held = self.readers[:], self.waits[:], set[int](), self.given[:]
        most: dict[int, tuple[int, int]] = {}
        fixed = each = ran = 0
        queue, kernels, bytes_, consumers = deque(self.starts), self.kernels, self.bytes, self.consumers
        buffer = self.buffer
        while queue:
            place = queue.popleft()
            kernel = kernels[place]
            made = index = kernel.output.index
            if kernel.view:
                made = buffer[kernel.inputs[0].index]
            elif kernel.reuse and self.forwards and not (self.apart and is_long_sum(kernel)):
                wanted = bytes_[index]
                for value in kernel.inputs:
                    taken = buffer[value.index]
                    if readers[taken] == 1 and not held[taken] and bytes_[taken] == wanted:
                        made = taken
                        break
            buffer[index] = made
            if made != index:
                readers[made] += readers[index]
            elif not held[index]:
                fixed, each = fixed + bytes_[index][0], each + bytes_[index][1]
                alive.add(index)
                if each not in most or most[each][0] < fixed:
                    most[each] = fixed, ran
                log.append((place, index, 1))
            is_taken, gone = kernel.kind == TAKEN, list[int]()
            for value in kernel.inputs:
                taken = buffer[value.index]
                readers[taken] -= 1
                if is_taken:  # counted as the variable from now on
                    held[taken] = True
                if is_taken or not readers[taken]:
                    gone.append(taken)
            if not readers[made]:
                gone.append(made)
            for freed in gone:
                if freed in alive:
                    alive.remove(freed)
                    fixed, each = fixed - bytes_[freed][0], each - bytes_[freed][1]
                    log.append((place, freed, -1))
            ran += 1
            for after in consumers[place]:
                waits[after] -= 1
                if not waits[after]:
                    queue.append(after)
        return _outermost(most)

    def alive(self, log: Log, moment: Moment) -> list[int]:
        """The values that are alive at that moment of a run."""
        found: dict[int, None] = {}
        fixed = each = 0
        for _, index, sign in log:
            more, share = self.bytes[index]
            fixed, each = fixed + sign * more, each + sign * share
            if sign < 0:
                del found[index]
                continue
            found[index] = None
            if fixed == moment.fixed and each == moment.each:
                break
        return list(found)

    def kept(self) -> set[int]:
        """The values whose memory the way back reads, once it has run: the others are only computed with."""
        back = (kernel for kernel in self.kernels if kernel.phase != FORWARD)
        return {self.buffer[value.index] for kernel in back for value in kernel.inputs}


def is_long_sum(kernel: Kernel) -> bool:
    """Whether it is one of those that grappler may compute in a variable of their own."""
    return kernel.kind == "add_n" and len(kernel.inputs) > 2


def frontier(moments: Iterable[Moment]) -> list[Moment]:
    """Without those that another one exceeds for every batch."""
    most: dict[int, tuple[int, int]] = {}
    for one in moments:
        if one.each not in most or most[one.each][0] < one.fixed:
            most[one.each] = one.fixed, one.place
    return _outermost(most)


def _outermost(most: Mapping[int, tuple[int, int]]) -> list[Moment]:
    """Of bytes of each sample -> (fixed ones, place), without those that another one exceeds for every batch."""
    kept: list[Moment] = []
    for each in sorted(most, reverse=True):
        fixed, place = most[each]
        if not kept or fixed > kept[-1].fixed:
            kept.append(Moment(fixed, each, place))
    return kept
