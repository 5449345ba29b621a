"""What XLA has alive for a max-pool: what it takes, where its largest were, zeros that their gradients are added to."""

from __future__ import annotations

from cudnnlint.memory.xla.kept import is_normed
from cudnnlint.memory.xla.values import ENDING, HEAVY, alike, origin, size_at
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Size, Tape, Value

INDICES, INDEX = 4, 4
"""Arrays of a max-pool's output that SelectAndScatter makes of a reduce-window, and bytes of an element of them."""
SPACE = 8
NORMED = frozenset({"convolve", "tanh", "sigmoid", "elu", "selu"})
COMPARED = frozenset({"elu", "selu"})


def pooled_directly(tape: Tape, pool: Kernel) -> Value | None:
    """What a convolution puts out, if it is pooled as it is: then it is what stays, and the zeros come late."""
    value = alike(tape, pool.inputs[0])
    return value if value.made >= 0 and tape.kernels[value.made].kind == "convolve" else None


def indexed(pool: Kernel) -> Size:
    """Bytes of the gradient that a max-pool is given, and of what its own is made of besides zeros: where the largest
    were, and what they are."""
    out, taken = pool.output.size, pool.inputs[0].size
    parts = [(size.fixed * item, size.each * item) for size, item in (
        (out, 2 * out.item + INDICES * INDEX), (taken, -taken.item))]
    fixed, each = (sum(part) for part in zip(*parts, strict=True))
    return Size(max(fixed, out.fixed * out.item), max(each, out.each * out.item), 1)


def undropped(tape: Tape, value: Value) -> Value:
    """What a value is, before a dropout: that is computed again of what a normalisation gives."""
    value = origin(tape, value)
    maker = tape.kernels[value.made] if value.made >= 0 else None
    if maker is None or maker.kind != "select":
        return value
    taken = origin(tape, alike(tape, maker.inputs[-1]))
    return taken if is_normed(tape, taken) else value


def before(tape: Tape, pool: Kernel) -> Kernel | None:
    """What gives that which a max-pool takes, or of which it takes the normalisation: that is computed again."""
    value = undropped(tape, pool.inputs[0])
    return normalised(tape, value) or (tape.kernels[value.made] if value.made >= 0 else None)


def after_leaky(tape: Tape, pool: Kernel) -> Kernel | None:
    """The LeakyReLU that a max-pool takes from: of that only which of its operands are cut off is kept, and the pool's
    input is computed again. The zeros are made in the same kernel; along one axis they have another shape, and come
    when they are needed."""
    maker = before(tape, pool)
    return maker if maker is not None and maker.kind == "leaky_relu" else None


def of_indices(pool: Kernel) -> Size:
    """Bytes of the gradient that a max-pool is given, and of where the largest were."""
    out = pool.output.size
    return Size(out.fixed * (out.item + INDICES * INDEX), out.each * (out.item + INDICES * INDEX), 1)


def is_again(tape: Tape, pool: Kernel) -> bool:
    """Whether what a max-pool takes is computed again of what a convolution puts out: a swish, and normalisations; not
    so what is rectified, with zeros of its own."""
    maker, of_sum = before(tape, pool), normalised(tape, pool.inputs[0])
    return maker is not None and (maker.kind == "silu" or (of_sum is not None and maker.kind in NORMED))


def is_padded(tape: Tape, pool: Kernel) -> bool:
    """Whether a max-pool takes what is padded for it alone, as in the stem of a ResNet: where the largest were is told
    in one kernel with that, and with what is padded."""
    value = pool.inputs[0]
    return value.made >= 0 and tape.kernels[value.made].kind == "pad" and len(tape.readers(value.index)) == 1


def has_late_zeros(tape: Tape, pool: Kernel, batch: int) -> bool:
    """Whether nothing after it takes as much as what it pads: then its zeros come when they are needed."""
    return _most_after(tape, pool, batch) < size_at(origin(tape, pool.inputs[0]).size, batch)


def is_shared(tape: Tape, pool: Kernel) -> bool:
    """Whether the zeros of a max-pool are those that an ELU before it is compared with, so that gradients are added to
    a copy of them."""
    maker = before(tape, pool)
    return maker is not None and maker.kind in COMPARED


def is_compared(tape: Tape, pool: Kernel) -> bool:
    """Whether a ReLU of the same size before it puts its zeros out, and is compared with them later on the way back, so
    that gradients are added to a copy of them."""
    return _is_rectified(tape.kernels[:pool.output.made], pool)


def is_lent(tape: Tape, pool: Kernel) -> bool:
    """Whether a max-pool along one axis takes what is rectified, after a ReLU of the same size that puts its zeros out:
    then these are all there are, depth first, and are copied when gradients are added to them."""
    relu = origin(tape, pool.inputs[0])
    if pool.output.index not in tape.lines or relu.made < 0 or tape.kernels[relu.made].kind != "relu":
        return False
    if len(tape.readers(relu.index)) > 1 or is_normed(tape, tape.kernels[relu.made].inputs[0]):
        return False
    pools = [place for place, kernel in enumerate(tape.kernels[:relu.made]) if kernel.kind == "max_pool"]
    return _is_rectified(tape.kernels[max(pools, default=0):relu.made], pool)  # of one shape, and not only size


def is_copied_early(tape: Tape, pool: Kernel, batch: int) -> bool:
    """Whether that copy waits all the way back, as that of other zeros does (is_copied): a ReLU that puts its zeros out
    too takes twice as much."""
    later = tape.kernels[pool.output.made + 1:]
    pairs = [2 * size_at(one.inputs[0].size, batch) for one in later if one.kind == "max_pool" and _is_rectified(
        later, one)]
    return max([_most_after(tape, pool, batch), *pairs]) >= size_at(pool.inputs[0].size, batch)


def _is_rectified(kernels: list[Kernel], pool: Kernel) -> bool:
    return any(one.kind == "relu" and one.phase == FORWARD and one.output.trained
               and one.output.size == pool.inputs[0].size for one in kernels)


def normalised(tape: Tape, value: Value) -> Kernel | None:
    """What gives that of which a value is the normalisation; None if it is none."""
    value = undropped(tape, value)
    if not is_normed(tape, value):
        return None
    scaled = next(one for one in tape.kernels[value.made].inputs if one.size.each)
    if scaled.made < 0 or tape.kernels[scaled.made].kind != "mul":
        return None
    x = next((alike(tape, one) for one in tape.kernels[scaled.made].inputs if one.size.each), scaled)
    return tape.kernels[x.made] if x.made >= 0 else None


def is_concat(tape: Tape, value: Value) -> bool:
    """What is joined only to be pooled is joined again."""
    value = origin(tape, value)
    return value.made >= 0 and tape.kernels[value.made].kind == "concat" and len(tape.readers(value.index)) == 1


def is_joined(tape: Tape, pool: Kernel) -> bool:
    """Whether a concatenation reads too what a max-pool takes, or in two dimensions a convolution, for which it is put
    out alone: then where its largest were is computed again, and the zeros come late."""
    readers = tape.readers(pool.inputs[0].index)
    return any(reader.kind == "concat" or (reader.kind == "convolve" and pool.output.index not in tape.lines)
               for reader in readers)


def is_beside(tape: Tape, pool: Kernel) -> bool:
    """Whether a convolution reads too what a max-pool along one axis takes, or what is padded for it: the zeros, of
    another shape than that, come late."""
    readers = list(tape.readers(pool.inputs[0].index))
    readers += [one for reader in readers if reader.kind == "pad" for one in tape.readers(reader.output.index)]
    return pool.output.index in tape.lines and any(one.kind == "convolve" for one in readers)


def is_told_apart(tape: Tape, pool: Kernel) -> bool:
    """Whether a max-pool along one axis takes a rectified normalisation: zeros for the gradient of that have another
    shape than those for the pool's, so that it is told once what is cut off."""
    value = origin(tape, pool.inputs[0])
    if pool.output.index not in tape.lines or value.made < 0 or tape.kernels[value.made].kind != "relu":
        return False
    return is_normed(tape, tape.kernels[value.made].inputs[0])


def is_told_late(tape: Tape, pool: Kernel) -> bool:
    """Whether it is told on the way back only, depth first: where nothing but the pool takes what is rectified."""
    return is_told_apart(tape, pool) and len(tape.readers(origin(tape, pool.inputs[0]).index)) == 1


def is_late(tape: Tape, pool: Kernel) -> bool:
    """Whether the zeros of a max-pool are made when they are needed, depth first: where it takes what was normalised.
    Those of what is rectified are the ReLU's too."""
    return is_normed(tape, undropped(tape, pool.inputs[0]))


def shared(tape: Tape, pool: Kernel, *, deep: bool) -> int:
    """By what the zeros of a ReLU are kept that only a max-pool takes from: those of layers that are called several
    times, of which all calls have the same shape, by that of the first call. Depth first so are those of a ReLU that is
    normalised before it is pooled."""
    value = origin(tape, pool.inputs[0])
    maker = before(tape, pool) if deep and is_late(tape, pool) else None
    normed = maker is not None and maker.kind == "relu"
    alone = value.made >= 0 and tape.kernels[value.made].kind == "relu" and len(tape.readers(value.index)) == 1
    if not normed and not alone:
        return value.index
    return origin(tape, next(iter(_calls(tape, pool)), pool).inputs[0]).index


def _calls(tape: Tape, pool: Kernel) -> list[Kernel]:
    """Those of the same layer, or of one of its name, on what has the same shape."""
    name = tape.names.get(pool.layer)
    return [one for one in tape.kernels if one.kind == "max_pool" and tape.names.get(one.layer) == name
            and one.inputs[0].size == pool.inputs[0].size and one.phase == FORWARD]


def is_copied(tape: Tape, pool: Kernel, batch: int) -> bool:
    """Whether a copy of the zeros of a ReLU, to which gradients are added, waits all the way back: where windows
    overlap, what is rectified is put out with its zeros, for the pool alone, and lasts until it is known where the
    largest were; then these are copied as soon as something else takes as much."""
    relu = origin(tape, pool.inputs[0])
    if pool.output.index not in tape.overlaps or relu.made < 0 or tape.kernels[relu.made].kind != "relu":
        return False
    alone = len(tape.readers(relu.index)) == 1 and relu.size == pool.inputs[0].size
    return alone and _most_after(tape, pool, batch) >= size_at(relu.size, batch)


def outweighed(tape: Tape, pool: Kernel, index: Size, batch: int) -> bool:
    """Whether something that is computed after a pool takes more than where its largest were does, of all its calls at
    once, which waits as long as it has to otherwise (xla/service/hlo_memory_scheduler.cc: ListScheduler::GetPriority).
    """
    return _most_after(tape, pool, batch) > size_at(index, batch) * max(1, len(_calls(tape, pool)))


def _most_after(tape: Tape, pool: Kernel, batch: int) -> int:
    later = [one for one in tape.kernels[pool.output.made + 1:] if one.phase == FORWARD and one.output.trained]
    return max((_added(tape, kernel, batch) for kernel in later if kernel.kind in ENDING), default=0)


def _added(tape: Tape, kernel: Kernel, batch: int) -> int:
    """The most that a convolution or product adds: its output, or what it takes less what that is joined of."""
    if kernel.kind == "max_pool":
        return 0
    x = origin(tape, kernel.inputs[0])
    given = size_at(tape.padded.get(kernel.output.index, x.size), batch)
    if x.made >= 0 and tape.kernels[x.made].kind == "concat":
        given -= sum(size_at(one.size, batch) for one in tape.kernels[x.made].inputs if _passes(tape, one))
    return max(given, size_at(kernel.output.size, batch))


def _passes(tape: Tape, value: Value) -> bool:
    """What a convolution puts out is gone once it is joined."""
    value = alike(tape, value)
    return value.made >= 0 and tape.kernels[value.made].kind in HEAVY and len(tape.readers(value.index)) == 1
