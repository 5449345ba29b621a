"""Towers of the same layers under XLA: what does not hang on each other goes back side by side."""

from __future__ import annotations

from collections import Counter

from cudnnlint.memory.xla.values import HEAVY
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


def beforehand(tape: Tape, kernels: list[Kernel]) -> list[Kernel]:
    """With those first that compute of nothing that is trained, and through which nothing is, as a teacher or a slow
    copy of the model: each of them frees what the one before gave, and so adds less than what is kept does."""
    if all(kernel.output.trained for kernel in kernels if kernel.kind in HEAVY):
        return kernels
    hanging = set[int]()
    for kernel in tape.kernels:
        if kernel.phase == FORWARD and (kernel.output.trained or any(one.index in hanging for one in kernel.inputs)):
            hanging.add(kernel.output.index)
    alone = [kernel for kernel in kernels if kernel.kind in HEAVY and kernel.output.index not in hanging]
    found = {id(kernel) for kernel in alone}
    return [*alone, *(kernel for kernel in kernels if id(kernel) not in found)]


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
