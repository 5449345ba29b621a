"""Joined tensors that are normalised, as in a DenseNet: what XLA puts out of them, and what waits for a block's first
layer on the way back."""

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.memory.xla.values import HEAVY, origin
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Size, Tape, Value

CACHE = 4 << 20
"""The L2 cache of a T4."""
MUCH = 4 * CACHE
AVERAGED = "average_pool"
SIGNS = -1 << 32
WARP = 32
"""Threads of a GPU that run as one."""
Wait = tuple[int, int, Value, int]


def is_put_out(tape: Tape, concat: Kernel) -> bool:
    """Whether what is joined is put out, in place of being joined again by each kernel that reads it: where it is
    normalised by the whole batch and the channels of its first part are no multiple of a warp, as seen of 8 to 128
    channels joined with 12 to 32 others, whatever they are of and however large."""
    whole, means = concat.output.size, _means(tape, concat)
    first = _first(tape, concat).size if means else whole
    return any(mean.fixed * first.each // whole.each % WARP for mean in means)


def is_joined_again(tape: Tape, relu: Kernel) -> bool:
    """Whether it rectifies, for a convolution, what is joined again and normalised: signs are put out for the way
    back, but not in half precision."""
    if relu.output.size.item < 4 or not any(reader.kind == "convolve" for reader in tape.readers(relu.output.index)):
        return False
    todo, seen = [relu.inputs[0]], set[int]()
    while todo:
        value = todo.pop()
        if value.made < 0 or value.index in seen or not value.size.each:
            continue
        seen.add(value.index)
        kernel = tape.kernels[value.made]
        if kernel.kind == "concat":
            return bool(_means(tape, kernel)) and not is_put_out(tape, kernel)
        todo += kernel.inputs if kernel.kind not in HEAVY and kernel.kind != "relu" and not _is_sum(kernel) else ()
    return False


def blocks(tape: Tape, kernels: list[Kernel], found: list[Wait]) -> tuple[list[Wait], dict[int, int]]:
    """What waits with what blocks of joined and normalised tensors change in it, and what is kept longer: by what, and
    the stage with which it is freed.

    Their gradients are not summed layer by layer: what each convolution gives is read, with what it is normalised by,
    by all layers before it, and is there until the sum of all of them is made for the block's first part.
    """
    places = {id(kernel): place for place, kernel in enumerate(kernels) if kernel.kind in HEAVY}
    held: dict[int, int] = {}
    for members, concats in _groups(tape):
        mine = [one for one in found if one[2].index in members]
        if not mine:
            continue
        last, _, first, _ = min(mine, key=lambda one: one[0])
        found = [one for one in found if one not in mine]
        held.update((index, max(0, last - 1)) for index in members if index != first.index)
        for concat in concats:
            for kernel in _behind(tape, concat):
                if kernel.kind == "relu":
                    held[SIGNS - kernel.output.index] = max(0, last - 1)
                elif places.get(id(kernel), -1) > last:
                    found.append((last, places[id(kernel)], kernel.inputs[0], kernel.inputs[0].index))
        summed = first.size.each - kernels[last].output.size.each
        if summed > 0:  # the sum takes the place of the gradient that the first layer was given
            made = Value(first.index, Size(0, summed, first.size.item), first.made, held=False, trained=True)
            found.append((last, last + 1, made, first.index))
    return found, held


def _groups(tape: Tape) -> list[tuple[set[int], list[Kernel]]]:
    """Joined and normalised tensors that share parts, with these."""
    groups: list[tuple[set[int], list[Kernel]]] = []
    for kernel in tape.kernels:
        if kernel.kind == "concat" and kernel.phase == FORWARD and _means(tape, kernel):
            parts = {origin(tape, value).index for value in kernel.inputs}
            shared = next((group for group in reversed(groups) if not parts.isdisjoint(group[0])), None)
            if shared is None:
                groups.append(shared := (set(), []))
            shared[0].update(parts, (kernel.output.index,))
            shared[1].append(kernel)
    return groups


def _behind(tape: Tape, concat: Kernel) -> Iterator[Kernel]:
    """What reads it, up to convolutions and products, and to what joins it with others."""
    todo, seen = [concat], set[int]()
    while todo:
        for reader in tape.readers(todo.pop().output.index):
            if reader.phase != FORWARD or id(reader) in seen or reader.kind == "concat":
                continue
            seen.add(id(reader))
            yield reader
            if reader.kind not in HEAVY and not _is_sum(reader):
                todo.append(reader)


def _is_sum(kernel: Kernel) -> bool:
    """Of two layers."""
    return kernel.kind == "add" and all(value.size.each for value in kernel.inputs)


def _first(tape: Tape, concat: Kernel) -> Value:
    """What lies first in it; what is joined of joined tensors is joined at once."""
    while True:
        value = origin(tape, concat.inputs[0])
        if value.made < 0 or tape.kernels[value.made].kind != "concat":
            return value
        concat = tape.kernels[value.made]


def _means(tape: Tape, concat: Kernel) -> list[Size]:
    """Of normalisations by the whole batch."""
    readers = list(tape.readers(concat.output.index))
    readers += [one for reader in readers if reader.kind == "cast" for one in tape.readers(reader.output.index)]
    means = (one.inputs[1].size for one in readers if one.kind == "sqdiff")
    return [mean for mean in means if not mean.each and concat.output.size.each]
