"""What is alive as a step runs op by op: kernels run as soon as their operands are there, first in first out.

tensorflow/core/common_runtime/executor.cc: ExecutorState::ScheduleReady; kernels of a GPU count as inexpensive and
run inline (op_kernel.cc: OpKernel::IsExpensive), so that the queue decides.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cudnnlint.memory.order import Places, edges, ranked
from cudnnlint.ops.kernels.tape import FORWARD, TAKEN, Kernel, Tape
from cudnnlint.records import record


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
    grappler leaves it (order.py), or, where it is not `ordered`, what was made last first. `apart`: sums that are not
    written in place. Without `shapes` nothing waits for the shape of another tensor.

    bytes   of each value, fixed and of each sample; after: the kernels that each kernel lets go on
    buffer  the value whose memory holds a value, once it was made
    order   the places of the kernels as they ran, and `ends` how long the log was after each
    log     each tensor when it comes, and once more when it goes
    """

    def __init__(self, tape: Tape, *, forwards: bool = True, ordered: bool = True,
                 apart: Collection[int] = (), shapes: bool = True) -> None:
        self.kernels, self.forwards, self.apart, self.pieces = tape.kernels, forwards, apart, tape.open
        self.buffer = [value.index for value in tape.values]
        self.given = [value.held for value in tape.values]
        self.bytes = _bytes(tape)
        self.reads, before = edges(self.kernels, shapes)
        rank = ranked(before, tape.ends) if ordered else range(0, -len(before), -1)
        self.after, self.waits = _followed(self.kernels, before, rank)
        self.starts = [place for place, wait in enumerate(self.waits) if not wait]
        self.log: list[int] = []
        self.order: list[int] = []
        self.ends = array("q")

    def _reading(self) -> list[int]:
        """How often each value is read."""
        readers = [0] * len(self.buffer)
        for found in self.reads:
            for index in (found,) if isinstance(found, int) else found:
                readers[index] += 1
        return readers

    def run(self) -> list[Moment]:
        """The moments at which most is alive for some batch. In one piece, as it is all that a step of many operations
        takes long for."""
        readers, waits, held, alive = self._reading(), self.waits, self.given[:], bytearray(len(self.buffer))
        most: dict[int, tuple[int, int]] = {}
        fixed = each = top = broad = 0
        kernels, bytes_, after, reads, buffer, log = (
            self.kernels, self.bytes, self.after, self.reads, self.buffer, self.log)
        pieces, order, ends, queue, memory = (
            self.pieces, self.order, self.ends, deque(self.starts), self.buffer.__getitem__)
        while queue:
            place = queue.popleft()
            kernel, found = kernels[place], reads[place]
            taking = (found,) if isinstance(found, int) else found
            made = index = kernel.output.index
            if kernel.view:
                made = buffer[taking[0]]
            elif kernel.reuse and self.forwards and index not in self.apart:
                for one in taking:  # the last piece of a larger tensor's memory too
                    if readers[taken := buffer[one]] == 1 and not held[taken] and (
                            bytes_[index] == bytes_[one if pieces else taken]):
                        made = taken
                        break
            if made != index:
                buffer[index] = made
                readers[made] += readers[index]
            elif not held[index]:
                more, share = bytes_[index]
                fixed, each = fixed + more, each + share
                alive[index] = 1
                if fixed > top or each > broad:  # else one that was noted exceeds it
                    if each not in most or most[each][0] < fixed:
                        most[each] = fixed, len(order)
                    if fixed >= top and each >= broad:
                        top, broad = fixed, each
                log.append(index)
            is_taken = kernel.kind == TAKEN
            for taken in map(memory, taking):
                readers[taken] -= 1
                if is_taken:  # counted as the variable from now on
                    held[taken] = True
                elif readers[taken]:
                    continue
                if alive[taken]:
                    alive[taken] = 0
                    fixed, each = fixed - bytes_[taken][0], each - bytes_[taken][1]
                    log.append(taken)
            if not readers[made] and alive[made]:
                alive[made] = 0
                fixed, each = fixed - bytes_[made][0], each - bytes_[made][1]
                log.append(made)
            order.append(place)
            ends.append(len(log))
            found = after[place]
            for one in (found,) if isinstance(found, int) else found:
                waits[one] -= 1
                if not waits[one]:
                    queue.append(one)
        return _outermost(most)

    def changes(self) -> Iterator[tuple[int, int, int]]:
        """(place of the kernel, value, 1 or -1) for each tensor that comes or goes, in order."""
        start, there = 0, set[int]()
        for place, end in zip(self.order, self.ends, strict=True):
            for index in self.log[start:end]:
                yield place, index, -1 if index in there else 1
                there.add(index)
            start = end

    def alive(self, moment: Moment) -> list[int]:
        """The values that are alive at that moment of the run."""
        found: dict[int, None] = {}
        fixed = each = 0
        for index in self.log:
            more, share = self.bytes[index]
            if index in found:
                fixed, each = fixed - more, each - share
                del found[index]
                continue
            fixed, each = fixed + more, each + share
            found[index] = None
            if fixed == moment.fixed and each == moment.each:
                break
        return list(found)

    def kept(self) -> set[int]:
        """The values whose memory the way back reads, once it has run: the others are only computed with."""
        back = (kernel for kernel in self.kernels if kernel.phase != FORWARD)
        return {self.buffer[value.index] for kernel in back for value in kernel.inputs}


def _bytes(tape: Tape) -> list[tuple[int, int]]:
    """Of each value, fixed and of each sample; most have a size that others have too."""
    told: dict[int, tuple[int, int]] = {}
    found = []
    for value in tape.values:
        size = value.size
        if (name := id(size)) not in told:
            told[name] = size.fixed * size.item, size.each * size.item
        found.append(told[name])
    return found


def _followed(kernels: Sequence[Kernel], before: Sequence[Places], rank: Sequence[int]) -> tuple[
        list[Places], list[int]]:
    """Of each kernel those that it lets go on, in the order in which they do, and how many it waits for."""
    after: list[Any] = [()] * len(kernels)
    waits = []
    for kernel, found in zip(kernels, before, strict=True):
        place = kernel.output.made
        made: Any = (found,) if found.__class__ is int else found
        waits.append(len(made))
        for one in made:
            known = after[one]
            if known == ():
                after[one] = place
            elif known.__class__ is int:
                after[one] = [known, place]
            else:
                known.append(place)
    for following in after:
        if following.__class__ is list:
            following.sort(key=rank.__getitem__)
    return after, waits


def is_long_sum(kernel: Kernel) -> bool:
    """Whether it is one of those that grappler may compute in a variable of their own."""
    return kernel.kind == "add_n" and len(kernel.inputs) > 2


def frontier(moments: Iterable[tuple[int, int, int]]) -> list[Moment]:
    """Of (fixed bytes, those of each sample, place), without those that another one exceeds for every batch."""
    most: dict[int, tuple[int, int]] = {}
    for fixed, each, place in moments:
        if each not in most or most[each][0] < fixed:
            most[each] = fixed, place
    return _outermost(most)


def _outermost(most: Mapping[int, tuple[int, int]]) -> list[Moment]:
    """Of bytes of each sample -> (fixed ones, place), without those that another one exceeds for every batch."""
    kept: list[Moment] = []
    for each in sorted(most, reverse=True):
        fixed, place = most[each]
        if not kept or fixed > kept[-1].fixed:
            kept.append(Moment(fixed, each, place))
    return kept
