"""What a program computes several times of the same, computed once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from cudnnlint.ops.kernels.tape import Kernel, Tape, Value


def _never(kernel: Kernel) -> None:
    """Nothing stands for another."""


def once(tape: Tape, kernels: Iterable[Kernel], key: Callable[[Kernel], object] = _never,
         kinds: Collection[str] = (), passed: Collection[int] = ()) -> None:
    """Leave these kernels of a tape. Of those of such `kinds` that have the same key, told once their inputs are
    renamed, the first stands for all; None is the key of one that always runs, others
    name the operands. `passed`: values that are what they were
    made of."""
    same: dict[int, Value] = {}
    found: dict[object, Value] = {}
    first: dict[int, Kernel | None] = {}  # of those with one operand in common, whose key nobody has asked for yet
    kept: list[Kernel] = []
    for kernel in kernels:
        output = kernel.output
        if same:
            for value in kernel.inputs:
                if value.index in same:
                    kernel.inputs = tuple([same.get(value.index, value) for value in kernel.inputs])
                    break
            if kernel.after is not None:
                kernel.after = same.get(kernel.after.index, kernel.after)
        if passed and output.index in passed:
            same[output.index] = kernel.inputs[0]
            continue
        if kernel.kind in kinds:
            lead = min([value.index for value in kernel.inputs], default=-1)
            if (other := first.setdefault(lead, kernel)) is not kernel:
                if other is not None:
                    found[key(other)] = other.output
                    first[lead] = None
                if (told := key(kernel)) is not None and (known := found.setdefault(told, output)) is not output:
                    same[output.index] = known
                    continue
        output.made = len(kept)
        kept.append(kernel)
    tape.kernels = kept
