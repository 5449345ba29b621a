"""What a program computes several times of the same, computed once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from cudnnlint.ops.kernels.tape import Kernel, Tape, Value


def once(tape: Tape, kernels: Iterable[Kernel], key: Callable[[Kernel], object], passed: Collection[int] = ()) -> None:
    """Leave these kernels of a tape. Of those that have the same key, told once their inputs are renamed, the first
    stands for all; None is the key of one that always runs. `passed`: values that are what they were made of."""
    same: dict[int, Value] = {}
    found: dict[object, Value] = {}
    kept: list[Kernel] = []
    for kernel in kernels:
        if same:
            for value in kernel.inputs:
                if value.index in same:
                    kernel.inputs = tuple([same.get(value.index, value) for value in kernel.inputs])
                    break
            if kernel.after is not None:
                kernel.after = same.get(kernel.after.index, kernel.after)
        if kernel.output.index in passed:
            same[kernel.output.index] = kernel.inputs[0]
            continue
        told = key(kernel)
        if told is not None and (known := found.setdefault(told, kernel.output)) is not kernel.output:
            same[kernel.output.index] = known
            continue
        kernel.output.made = len(kept)
        kept.append(kernel)
    tape.kernels = kept
