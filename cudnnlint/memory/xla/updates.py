"""What XLA has alive besides what is kept: gradients that wait, those of variables, zeros that rows are added to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from cudnnlint.memory.optimizers import Optimizer
from cudnnlint.memory.simulate import Buffer
from cudnnlint.memory.updates import SMALL, update
from cudnnlint.memory.xla.schedule import WORKSPACE
from cudnnlint.memory.xla.values import HEAVY, is_multiplied, uncast
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Size, Tape, Value

ADDED = frozenset({"mean", "sum"})
DIVIDED = 3
TWICE = (2, 2)
"""What Adam makes of the rows of a table (wholes). The zeros of all tables of one size are put out by one kernel, two
for each; of no other optimizer are they."""
PAIR = 2
"""Zeros as large as what a max-pool takes, for its gradient and for that of what it took."""


def wholes(by: Optimizer) -> tuple[int, int]:
    """How often an optimizer makes the gradient of some rows of a table one of all rows before it is there: Adam twice,
    SGD never; and how many tables it has then at once. Lion is done with one before it makes the other. Where rows are
    divided (Adagrad, RMSprop), all that they are divided by is gathered anew in a conditional (keras/src/backend/
    tensorflow/sparse.py: elementwise_division), as measured of three of them. What stands in a conditional, as all does
    under a LossScaleOptimizer, is not made before it. Sums over steps are of whole gradients."""
    scratch = Tape()
    update(scratch, by.update, scratch.value(Size(0, 1)), Size(SMALL + 1))
    kinds = [kernel.kind for kernel in scratch.kernels]
    zeros = 1 if "sign" in kinds else kinds.count("segment_sum")
    divided = any(kernel.kind in ("div", "mul") and kernel.output.size.each for kernel in scratch.kernels)
    first = 0 if by.scaled or divided else zeros
    return max(by.accumulates, first), max(by.accumulates, zeros, DIVIDED * divided)


def early(tape: Tape, forward: Iterable[Kernel], batch: int) -> Iterator[Size]:
    """What is there all the way back: the zeros of tables that take less than something else does. They need nothing,
    and are made as soon as all else that could be takes more (xla/service/hlo_memory_scheduler.cc:
    ListScheduler::GetPriority). So is the gradient of a penalty on a table, to which that of its rows is added: the
    kernel that sums up its squares gives it too."""
    kernels = [kernel for kernel in forward if kernel.output.trained]
    if tables := _tables(tape, tape.wholes[0]):
        products = any(kernel.kind == "contract" for kernel in kernels)
        most = max((_largest(tape, kernel, batch) for kernel in kernels), default=0)
        most = max(most, _bytes(WORKSPACE) if products else 0)
        yield from (table for table in tables.values() if 0 < _bytes(table) < most)
    yield from (table for _, table in _penalized(tape, kernels))


def _penalized(tape: Tape, kernels: Iterable[Kernel]) -> Iterator[tuple[Kernel, Size]]:
    """Tables of which rows are read, and all of which a regularizer does; with the kernel that reads the rows."""
    for kernel in kernels if tape.penalized else ():
        if kernel.kind == "rows" and kernel.phase == FORWARD:
            yield from ((kernel, one.size) for one in _taken(tape, kernel) if one.index in tape.penalized)


def waits(tape: Tape, kernels: list[Kernel]) -> list[tuple[int, int, Value, int]]:
    """Values that several stages read: the gradient of such is there from the first of them on the way back to the
    last; as (the last, the first, the value, the index of that whose gradient it is until then). Those that
    convolutions give are added up at once, when all of them are there; a product adds its own to what is there. What
    comes back from one number alone, as from a penalty, is computed again, but where a product adds to it."""
    places = {id(kernel): place for place, kernel in enumerate(kernels) if kernel.kind in HEAVY}
    done: dict[int, int] = {}
    light = set[int]()
    found: list[tuple[int, int, Value, int]] = []
    for kernel in reversed(tape.kernels):
        if kernel.phase != FORWARD or not kernel.output.trained:
            continue
        index = kernel.output.index
        every = tape.readers(index)
        if len(every) == 1:
            reader = every[0]
            time = places.get(id(reader), done.get(reader.output.index, -1)) if reader.output.trained else -1
            if time >= 0:
                done[index] = time
                if id(kernel) not in places and (not kernel.output.size.each or reader.output.index in light):
                    light.add(index)
            continue
        readers = [one for one in every if one.output.trained and (id(one) in places or one.output.index in done)]
        if every and not readers:  # no gradient comes back
            continue
        if id(kernel) not in places and (
                not kernel.output.size.each or (readers and all(one.output.index in light for one in readers))):
            light.add(index)
        elif weighty := [one for one in readers if one.output.index not in light]:
            first = min(places.get(id(one), done.get(one.output.index, len(kernels))) for one in weighty)
            readers = weighty if first < len(kernels) and kernels[first].kind != "contract" else readers
        times = [places.get(id(one), done.get(one.output.index, len(kernels))) for one in readers] or [len(kernels)]
        done[index] = last = min(times)
        for first in sorted({*times} - {last}, reverse=True):
            begun = [reader for reader, time in zip(readers, times, strict=True) if time == first]
            if first == max(times):
                found.append((last, first, kernel.output, _of_sum(tape, begun[0]) if len(begun) == 1 else index))
            elif first < len(kernels) and kernels[first].kind == "convolve":
                found.append((last, first, kernel.output, begun[0].output.index))
    return found


def as_joined(tape: Tape, found: list[tuple[int, int, Value, int]]) -> list[tuple[int, int, Value, int]]:
    """Gradients of what was joined, as all of it: they are taken out of it where they are read. Only one to which those
    of a max-pool's largest are added is taken out at once."""
    told = []
    for last, first, value, whose in found:
        whole = tape.values[whose]
        joined = whole.made >= 0 and tape.kernels[whole.made].kind == "concat"
        pooled = any(reader.kind == "max_pool" for reader in tape.readers(value.index))
        told.append((last, first, whole if joined and not pooled else value, whose))
    return told


def _of_sum(tape: Tape, reader: Kernel) -> int:
    """What a gradient is of, as it comes from a reader: a sum hands its own to all that it adds up."""
    if reader.kind != "add":
        return reader.output.index
    while len(readers := tape.readers(reader.output.index)) == 1 and readers[0].kind == "add":
        reader = readers[0]
    return reader.output.index


def pending(found: list[tuple[int, int, Value, int]], stages: int) -> list[tuple[int, int]]:
    """Fixed bytes and bytes of each sample of gradients that wait at each stage; one that is that of several once."""
    once: dict[tuple[int, Size], tuple[int, int, Value]] = {}
    for last, first, value, whose in found:
        earlier = once.get((whose, value.size), (last, first, value))
        once[whose, value.size] = min(last, earlier[0]), max(first, earlier[1]), value
    change = [[0, 0] for _ in range(stages + 1)]
    for last, first, value in once.values():
        for place, sign in ((last, 1), (first, -1)):
            change[place][0] += sign * value.size.fixed * value.size.item
            change[place][1] += sign * value.size.each * value.size.item
    told, fixed, each = list[tuple[int, int]](), 0, 0
    for more, share in change[:-1]:
        fixed, each = fixed + more, each + share
        told.append((fixed, each))
    return told


def gradients(tape: Tape) -> Iterator[Buffer]:
    """Those of variables that are there at the end: all where they wait for each other, else that of the largest, which
    is made when the activations are gone. Where they are summed over steps, each is added to what is there."""
    trained = {value.index for value, _ in tape.variables}
    tables = _tables(tape, tape.wholes[1])
    products = Counter([one.index if one.held else uncast(tape, one).index for kernel in tape.kernels
                        if kernel.phase == FORWARD and kernel.kind == "contract" for one in kernel.inputs])
    found, changed = list[tuple[Buffer, ...]](), list[tuple[Buffer, ...]]()
    alike = dict[Size | int, list[tuple[Buffer, ...]]]()
    for kernel in tape.kernels if not tape.summed else ():
        if kernel.phase != FORWARD:
            continue
        for value in kernel.inputs if kernel.kind not in ("rows", "cast") else _taken(tape, kernel):
            if value.index in trained:
                trained.remove(value.index)
                size = tables.get(value.index, value.size).times(_parts(tape, value, products[value.index]))
                size = size.of(kernel.output.size.item) if kernel.kind == "cast" else size
                made = Buffer(_bytes(size), 0, kernel, "gradients")
                changed.append(tuple(_put_out(tape, kernel, value)))
                found.append((made, *_needed(kernel), *changed[-1]))
                alike.setdefault(value.size if value.index in tables else value.index, []).append(found[-1])
    if tape.wholes == TWICE:
        found = [tuple(chain.from_iterable(every)) for every in alike.values()]
    if tape.waits:
        yield from (made for made, *_ in found if made.kernel.kind != "rows")
        found = [*changed, *(each for each in found if each[0].kernel.kind == "rows")]
    most = max(found, key=lambda every: (sum([one.fixed for one in every]), sum([one.each for one in every])),
               default=())
    yield from most
    for kernel, table in _penalized(tape, tape.kernels):
        if not any(one.kernel is kernel for one in most):
            yield Buffer(_bytes(table), 0, kernel, "gradients")


def _parts(tape: Tape, weight: Value, products: int) -> int:
    """How many gradients of a weight are there at once before they are added up: those of the products that share it,
    and of a regularizer. A product adds its own to one that is there already, in place, but not to what another product
    did so with (xla/service/gpu/transforms/gemm_rewriter.cc: FuseMatrixBiasAdd)."""
    return max(1, products + (weight.index in tape.penalized) - 1) if products else 1


def _put_out(tape: Tape, kernel: Kernel, weight: Value) -> Iterator[Buffer]:
    """What the update of a convolution's kernel has alive beside the gradient, which cuDNN gives in its own layout: the
    copy of the kernel in that, which it reads, and what the optimizer keeps, put out anew and copied in place when all
    of it is there, since it is not written in the order in which it is read (xla/service/gpu/buffer_sharing.cc:
    FusionCanShareBufferHint). In half precision the kernel itself is put out so, and no copy is read."""
    readers = tape.readers(kernel.output.index) if kernel.kind == "cast" else [kernel]
    if any(reader.kind == "convolve" for reader in readers):
        yield Buffer(_bytes(weight.size.times(1 + tape.slots)), 0, kernel, "transient")


def _taken(tape: Tape, kernel: Kernel) -> tuple[Value, ...]:
    """What a kernel takes; of a table that is narrowed for its rows only these are."""
    if kernel.kind == "cast" and any(reader.kind == "rows" for reader in tape.readers(kernel.output.index)):
        return ()
    return (uncast(tape, kernel.inputs[0]), *kernel.inputs[1:]) if kernel.kind == "rows" else kernel.inputs


def _needed(kernel: Kernel) -> Iterator[Buffer]:
    """What the gradient of a weight is made of, and the scratch of that."""
    if kernel.kind == "contract":
        if is_multiplied(kernel):
            yield Buffer(_bytes(WORKSPACE), 0, kernel, "transient")
        taken = (one for one in kernel.inputs if not one.held)
        for value, term in ((kernel.output, "transient"), *((one, "") for one in taken)):
            yield Buffer(value.size.fixed * value.size.item, value.size.each * value.size.item, kernel, term)


def _tables(tape: Tape, times: int) -> dict[int, Size]:
    """Variables of which only rows are read -> what so many whole gradients of them take."""
    forward = [kernel for kernel in tape.kernels if kernel.phase == FORWARD]
    if not any(kernel.kind == "rows" for kernel in forward):
        return {}
    taken = [(kernel, _taken(tape, kernel)) for kernel in forward]
    read = {values[0].index: values[0] for kernel, values in taken if kernel.kind == "rows" and values[0].trained}
    other = {value.index for kernel, values in taken if kernel.kind != "rows" for value in values}
    return {index: value.size.times(times) for index, value in read.items()
            if value.held and index not in other}


def given(tape: Tape, kernel: Kernel) -> Size:
    """The gradient of what a kernel puts out; of rows that are only added up that of their sum."""
    readers = tape.readers(kernel.output.index) if kernel.kind == "rows" else []
    if readers and all(reader.kind in ADDED for reader in readers):
        return max((reader.output.size for reader in readers), key=lambda size: size.fixed + size.each)
    return kernel.output.size


def _largest(tape: Tape, kernel: Kernel, batch: int) -> int:
    if kernel.kind == "max_pool":
        return PAIR * _bytes(kernel.inputs[0].size, batch)
    return _bytes(given(tape, kernel), batch)


def _bytes(size: Size, batch: int = 0) -> int:
    return (size.fixed + size.each * batch) * size.item
