"""The largest batch that fits, found by asking the allocator: what a step asks of it, in order, for any batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

from cudnnlint.memory.allocator import Arena, Refused
from cudnnlint.memory.simulate import Simulation, is_long_sum
from cudnnlint.ops.kernels.tape import BACKWARD, Kernel, Tape
from cudnnlint.records import record

if TYPE_CHECKING:
    from cudnnlint.memory.estimate import Estimate

SCRATCH = 16 << 20
"""What the gradient of a convolution takes while it runs, where its kernel does not tell (ops/kernels/unfolded.py):
depthwise, dilated or along three axes."""
PLACE = 8
"""The gradient of a max-pool looks for the largest of each window anew and notes where that is, in eight bytes
(tensorflow/core/kernels/maxpooling_op.cc: MaxPoolingGradOp)."""
PIECES = 32
"""Chunks that a list of steps counts as: a loop asks for each step's tensors by themselves."""
MARGIN = 0.9
"""Of what fits in thought: order and sizes differ a little from those of a run, so that a tensor may find no chunk
where another one lies in thought. Of tensors that take less of the memory less is left, down to this share of it."""
LEFT, SHARE = 0.04, 0.7
"""At least, and of the memory that the largest tensor takes. In 70 replays of what 14 programs asked for, with a few
tensors or many, nothing that was advised so was refused, and two were where half of that share was left."""
PARTS, FEW = 8, 64
"""Of a sample, to which it is known where there are fewer than so many: less by a tenth than 11.9 is 10."""
OTHERWISE = 0.95
"""Of what fits if the step runs in another way than the likeliest, or in one region of memory, of which a GPU has more:
it unfolds less."""
FORWARDS = 0.95
"""The same of predictions, whose order is that of the layers."""
STEPS = 2
"""The second step meets what the first one fragmented."""
SMALLER, SURE = (0.97, 0.94, 0.91, 0.88), 16
"""Shares of a batch of so many samples or more that must fit too."""
LARGER, CLOSE = (1.3, 1.2, 1.15, 1.1, 1.05), 0.98
"""Behind sizes that fall badly larger ones may fit again. Where such begin is known that closely: sizes are those of a
run, and so is their order but for what is ready at once."""
CROWD = 8000
"""Requests from which on tensors are so many, and so small beside the whole, that they do not fragment it."""
WAYS = ((False, True, False), (True, True, False), (False, False, False), (True, True, True))
"""Whether what becomes ready together is ordered as grappler leaves it where it changes nothing, and whether sums of
more than two terms that are alive when most is are computed in variables of their own, apart from the memory of their
terms, as near the limit; and whether shapes are waited for, as in graphs that do not know the batch."""
WIDER = ("loop", "mask")
LISTED = frozenset({"loop", "loop_grad"})
HALF, SINGLE = 2, 4
"""Bytes of a number. A CPU multiplies matrices of half precision as copies in float32, all three of them
(tensorflow/core/kernels/matmul_op_impl.h: BaseBatchMatMulOp)."""
Piece = tuple[int, int]
"""Bytes, fixed and of each sample."""
Request = tuple[int, int, float]
"""(number, bytes, bytes of each sample); bytes -1 frees it."""


@record(slots=True)
class Plan:
    """What is asked of the allocator: the variables, what lasts, and the requests of a step in order.

    state    bytes of variables and slots, one by one
    fed      bytes of each tensor of the batch, fixed and of each sample: a chunk each
    margin   of what fits in thought; 0 where that hangs on how large the tensors are
    """

    tape: Tape
    state: tuple[int, ...]
    fed: tuple[tuple[int, int], ...]
    margin: float = 0
    _runs: dict[frozenset[int], list[list[Request]]] = field(default_factory=dict)
    _found: dict[tuple[int, int], int] = field(default_factory=dict, init=False)

    def largest(self, usable: int, most: int) -> int:
        """The largest batch of which we are sure; `most` is that of arithmetic, where nothing fragments."""
        if (usable, most) not in self._found:
            self._found[usable, most] = self._largest(usable, most)
        return self._found[usable, most]

    def _largest(self, usable: int, most: int) -> int:
        sums = self._sums(most)
        runs = self._requests(frozenset(sums))
        if len(runs[0]) > CROWD:
            return int(most * (self.margin or MARGIN))
        lasting = [*((size.fixed * size.item, size.each * size.item) for size in self.tape.folded), *sums.values()]
        found = sure = most
        tried: list[float] = []
        for grows in (True, False):  # with memory growth, and without
            fits = partial(self._fits, runs[0], usable, grows, lasting)
            sure = _bisect(fits, min(found, sure), SMALLER)
            found = _behind(fits, sure, found)
            tried.append(_closer(fits, found))
        margin, whole = self._margin(runs[0], found, usable), min(tried)
        otherwise = self.margin or max(margin, OTHERWISE)
        advised = min(tried[0] * margin, tried[1] * otherwise)
        for asked in runs[1:]:  # which matters where memory is in pieces
            fits = partial(self._fits, asked, usable, True, lasting)
            least = _closer(fits, _behind(fits, _bisect(fits, found, ()), found))
            advised = min(advised, least * otherwise)
        return min(max(1, int((whole if sure == found else sure) * CLOSE)), max(1, int(advised)))

    def _margin(self, asked: list[Request], batch: int, usable: int) -> float:
        """What is left of what fits in thought."""
        if self.margin:
            return self.margin
        largest = max((size + share * batch for _, size, share in asked), default=0)
        return max(MARGIN, 1 - max(LEFT, SHARE * largest / usable))

    def _fits(self, asked: list[Request], usable: int, grows: bool, lasting: list[tuple[int, int]],
              batch: float) -> bool:
        arena = Arena(usable, grows=grows)
        take, give = arena.take, arena.give
        try:
            for size in self.state:
                take(size)
            for fixed, each in lasting:
                take(int(fixed + each * batch))
            for _ in range(STEPS):
                fed = [take(int(fixed + each * batch)) for fixed, each in self.fed]
                alive: dict[int, int] = {}
                for number, size, share in asked:
                    if size < 0:
                        give(alive.pop(number))
                    else:
                        alive[number] = take(int(size + share * batch))
                for address in (*fed, *alive.values()):
                    give(address)
        except Refused:
            return False
        return True

    def _requests(self, sums: frozenset[int]) -> list[list[Request]]:
        """Of each of the ways in which the step may run: which of them it is hangs on what grappler changes near the
        limit, and where few tensors are large, one of them can be refused where others fit. Of a crowd the first."""
        runs = self._runs.setdefault(sums, [])
        for ordered, apart, shapes in WAYS if not runs else ():
            if runs and len(runs[0]) > CROWD:
                break
            if not (ordered or apart or sums) or (shapes and not self.tape.open):
                continue
            simulation = Simulation(self.tape, ordered=ordered, apart=sums if apart else frozenset(), shapes=shapes)
            simulation.run()
            runs.append(list(_requests(self.tape, simulation)))
        return runs

    def _sums(self, batch: int) -> dict[int, tuple[int, int]]:
        """Sums of more than two of which terms are alive when most is, and bytes of the zeros that each starts from and
        that stay: near the limit grappler computes such in a variable of its own, by its own estimate, in which nothing
        is written in place (tensorflow/core/grappler/optimizers/memory_optimizer.cc: SchedulingPass)."""
        sums = [kernel for kernel in self.tape.kernels if is_long_sum(kernel)]
        if not sums:
            return {}
        simulation = Simulation(self.tape, forwards=False, ordered=False, shapes=False)
        moments = simulation.run()
        alive = set(simulation.alive(max(moments, key=lambda one: one.bytes(batch))))
        return {kernel.output.index: simulation.bytes[kernel.output.index] for kernel in sums
                if any(simulation.buffer[value.index] in alive for value in kernel.inputs)}


@record(slots=True)
class Otherwise:
    """That of the step in a graph that does not know the batch, as it is with one that leaves a smaller last one."""

    open: Estimate

    def largest(self, usable: int, most: int) -> int:
        return min(most, self.open.largest(usable) // self.open.replicas)


def takes_more_open(tape: Tape) -> bool:
    """Whether the step takes notably more where the graph does not know the batch: zeros of loops, own masks."""
    return not tape.compiled and any(kernel.kind in WIDER for kernel in tape.kernels)


def _requests(tape: Tape, simulation: Simulation) -> Iterator[Request]:
    lists = {index for kernel in tape.kernels if kernel.kind in LISTED
             for index in (kernel.output.index, *(value.index for value in kernel.inputs))}
    number, start, there = len(tape.values), 0, set[int]()
    for place, end in zip(simulation.order, simulation.ends, strict=True):
        before, after = _scratch(tape, tape.kernels[place])
        number += 1
        if before:
            yield number, *before
        for index in simulation.log[start:end]:
            fixed, each = simulation.bytes[index]
            pieces = PIECES if index in lists and each else 1
            for piece in range(pieces):
                name = -1 - index * PIECES - piece if pieces > 1 else index
                yield (name, -1, 0) if index in there else (name, max(0, fixed // pieces), each / pieces)
            if after and index not in there:
                yield from ((number + piece, *size) for piece, size in enumerate(after))
                yield from ((number + piece, -1, 0) for piece in range(len(after)))
                number += len(after)
            there.add(index)
        if before:
            yield number, -1, 0
        start = end


def _scratch(tape: Tape, kernel: Kernel) -> tuple[Piece | None, tuple[Piece, ...]]:
    """What a kernel takes while it runs, before it asks for what it puts out and afterwards."""
    if kernel.kind == "pool_grad" and len(kernel.inputs) == 3 and kernel.inputs[1].index in tape.sought:
        pooled = kernel.inputs[1].size
        return (pooled.fixed * PLACE, pooled.each * PLACE), ()
    if (folds := tape.folding.get(kernel.output.index)) is not None:  # kernels/image/mirror_pad_op.cc
        return (folds.fixed * folds.item, folds.each * folds.item), ()
    if kernel.kind == "contract" and kernel.output.size.item == HALF:
        return None, tuple((value.size.fixed * SINGLE, value.size.each * SINGLE)
                           for value in (*kernel.inputs, kernel.output))
    size = tape.scratch.get(kernel.output.index,
                            SCRATCH if kernel.kind == "convolve" and kernel.phase == BACKWARD else 0)
    return None, ((size, 0),) if size else ()


def _closer(fits: Callable[[float], bool], found: int) -> float:
    """The same to a part of a sample.

    >>> _closer(lambda batch: batch <= 11.7, 11), _closer(lambda batch: batch <= 100, 100)
    (11.625, 100.0)
    """
    told = float(found)
    while 0 < told < min(found + 1 - 1 / PARTS, FEW) and fits(told + 1 / PARTS):
        told += 1 / PARTS
    return told


def _behind(fits: Callable[[float], bool], found: int, most: int) -> int:
    """The largest of some numbers from `found` to `most` that fits."""
    return next((more for share in LARGER if found < (more := int(found * share)) <= most and fits(more)), found)


def _bisect(fits: Callable[[float], bool], most: int, shares: Iterable[float]) -> int:
    """The largest number up to `most` that fits, to within half a percent. One smaller by these shares may not where
    sizes fall otherwise among the allocator's chunks: then that counts."""
    low, high = (most, most + 1) if fits(most) else (0, most)
    while high - low > max(1, low // 200):
        middle = (low + high) // 2 if low else max(1, high * 3 // 4)
        low, high = (middle, high) if fits(middle) else (low, middle)
    for share in shares if low >= SURE else ():
        if not fits(int(low * share)):
            return _bisect(fits, int(low * share) - 1, shares)
    return low
