"""Towers of the same layers under XLA: what does not hang on each other goes back side by side."""

from __future__ import annotations

from collections import Counter

from cudnnlint.memory.xla.values import HEAVY, size_at
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Tape


def abreast(tape: Tape, kernels: list[Kernel]) -> list[Kernel]:
    """The kernels of the stages with those of calls of the same layers next to each other, where no call takes what
    another one gives, as in a siamese network: kernels of one kind free as much in each of them, and so come one after
    another (xla/service/hlo_memory_scheduler.cc: ListScheduler::GetPriority)."""
    layers = [kernel.layer for kernel in kernels]
    often = {layer for layer, times in Counter(layers).items() if times > 1}
    told: list[Kernel] = []
    place = 0
    while place < len(kernels):
        long, times = _towers(layers, place) if layers[place] in often else (0, 1)
        while times > 1 and _is_chained(tape, kernels[place:place + long * times], long):
            times -= 1
        if times > 1:
            told += (kernels[place + long * tower + step] for step in range(long) for tower in range(times))
            place += long * times
        else:
            told.append(kernels[place])
            place += 1
    return told


def beforehand(tape: Tape, kernels: list[Kernel], batch: int) -> list[Kernel]:
    """With what computes of nothing that is trained, and through which nothing is, as a teacher or a slow copy of the
    model, where XLA has it run: of what is ready that first which adds least (xla/service/hlo_memory_scheduler.cc:
    ListScheduler::GetPriority). Each kernel of such frees what the one before gave, and so adds less than what is kept
    does; but one that puts out more than all that is trained waits for the way forward to end."""
    if all(kernel.output.trained for kernel in kernels if kernel.kind in HEAVY):
        return kernels
    hanging = set[int]()
    for kernel in tape.kernels:
        if kernel.phase == FORWARD and (kernel.output.trained or any(one.index in hanging for one in kernel.inputs)):
            hanging.add(kernel.output.index)
    alone = [kernel for kernel in kernels if kernel.kind in HEAVY and kernel.output.index not in hanging]
    found = {id(kernel) for kernel in alone}
    return _merged(tape, alone, [kernel for kernel in kernels if id(kernel) not in found], batch)


def _merged(tape: Tape, alone: list[Kernel], others: list[Kernel], batch: int) -> list[Kernel]:
    """Those alone before the first that reads them, or that adds as much as they do."""
    needs = _needs(tape, alone)
    told: list[Kernel] = []
    there = done = 0
    for kernel in others:
        needed, added = needs.get(kernel.output.index, 0), size_at(kernel.output.size, batch)
        while done < len(alone):
            size = size_at(alone[done].output.size, batch)
            if done >= needed and size - there > added:
                break
            told.append(alone[done])
            there, done = size, done + 1
        told.append(kernel)
    return [*told, *alone[done:]]


def _needs(tape: Tape, alone: list[Kernel]) -> dict[int, int]:
    """value -> how many of these are there before it."""
    places = {id(kernel): place for place, kernel in enumerate(alone, 1)}
    needs: dict[int, int] = {}
    for kernel in tape.kernels:
        if kernel.phase == FORWARD:
            needed = places.get(id(kernel), 0) or max([needs.get(one.index, 0) for one in kernel.inputs], default=0)
            if needed:
                needs[kernel.output.index] = needed
    return needs


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


def _is_chained(tape: Tape, kernels: list[Kernel], long: int) -> bool:
    """Whether a later tower computes of what an earlier one gives."""
    given = {kernel.output.index for kernel in kernels[:long]}
    ends = {id(kernel) for kernel in kernels[long:]}
    places = [kernel.output.made for kernel in kernels]
    for kernel in tape.kernels[min(places):max(places) + 1]:
        if kernel.phase == FORWARD and any(value.index in given for value in kernel.inputs):
            if id(kernel) in ends:
                return True
            given.add(kernel.output.index)
    return False
