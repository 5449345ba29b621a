"""What XLA keeps of the forward pass besides what convolutions and products take.

Each rule as seen in its buffer assignments for nets of six equal blocks, of which one kept more or less than with a
ReLU: docs/memory.md.
"""

from __future__ import annotations

from cudnnlint.memory.xla.joined import AVERAGED, CACHE, MUCH, SIGNS, is_joined_again, is_put_out
from cudnnlint.memory.xla.values import ALIKE, ENDING, RECTIFIED, alike, origin, size_at, uncast
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Size, Tape, Value

PASSING = frozenset({"bias", "add", "sub", "scale", "shift", "view", "cast", "concat", "pad", "mean", "sum", "copy",
                     "spaced", "transposed", "folded", AVERAGED})
"""Linear: their gradients read none of their operands."""
BY_OUTPUT = frozenset({"tanh", "sigmoid", "elu", "selu"})
"""Whose gradient reads what they give."""
SOFTMAX = frozenset({"softmax", "scaled", "scaled_softmax"})
SIGNED, ZEROS = frozenset({"relu6", "leaky_relu"}), -1 << 40
BITS = 4
"""Bytes that are drawn for an element."""
MOVED = 2
"""Parts of an exact GELU of what is moved out of the batch that are kept, as seen in float32."""
ROWS, COLUMNS = 4096, 416
"""A column reduction of more rows is split (32 warps of 128); one of many columns gives nothing beside its sum, as seen
at 1,024 and not at 576."""


def stored(tape: Tape, kernel: Kernel, batch: int) -> tuple[tuple[int, Size], ...]:
    """What a kernel that is no convolution or product keeps for the way back: by what, and how much."""
    if kernel.phase == FORWARD and kernel.kind in SIGNED and _has_signs(tape, kernel, batch):
        return ((SIGNS - kernel.output.index, kernel.output.size.of(1)),)
    if kernel.kind == "relu" and kernel.output.trained and _is_moved_twice(tape, kernel):
        return ((SIGNS - kernel.output.index, kernel.output.size.of(2)),)
    if kernel.kind == "relu" and kernel.output.trained and is_joined_again(tape, kernel):
        return ((SIGNS - kernel.output.index, kernel.output.size.of(1)),)
    if kernel.kind == "resized" and kernel.phase == FORWARD and kernel.output.trained:
        return ((ZEROS - kernel.output.index, _zeros(tape, kernel)),)
    times = BITS if kernel.kind == "compare" and _is_costly_drop(tape, kernel) else 1
    if kernel.kind == "erfc" and alike(tape, kernel.inputs[0]).index in tape.lines:
        times = MOVED
    return tuple((value.index, value.size.times(times)) for value in _values(tape, kernel, batch))


def _values(tape: Tape, kernel: Kernel, batch: int) -> tuple[Value, ...]:
    if kernel.phase != FORWARD or not (kernel.output.trained or kernel.kind == "compare"):
        return ()
    if kernel.kind == AVERAGED:  # windows are not summed again for each that computes of their average
        return (kernel.output,) if _is_computed_of(tape, kernel) else ()
    if kernel.kind == "concat":
        return (kernel.output,) if is_put_out(tape, kernel) else ()
    if kernel.kind == "relu":
        return (kernel.output,) if _is_summed(tape, kernel, batch) else ()
    if kernel.kind == "silu":
        return (kernel.output,) if _is_weighted(tape, kernel) else ()
    if kernel.kind == "erfc":
        return (kernel.output,) if _keeps_erfc(tape, kernel) else ()
    if kernel.kind == "compare":
        return (kernel.output,) if _is_mask(tape, kernel) else ()
    if kernel.kind != "sqdiff":
        return ()
    x = uncast(tape, kernel.inputs[0])
    costly = (x,) if _is_costly(tape, x, kernel.inputs[1].size.each > 0) else ()
    moved = kernel.inputs[1].size.each > 0 and _is_spaced(tape, x)
    return (*((kernel.output,) if moved or _is_wide(tape, kernel, batch) else ()), *costly)


def _is_computed_of(tape: Tape, kernel: Kernel) -> bool:
    """Whether a gradient reads what a kernel puts out, and not only what a convolution or product keeps anyway."""
    todo = [kernel]
    while todo:
        for reader in tape.readers(todo.pop().output.index):
            if reader.kind in PASSING or reader.kind == "select":
                todo.append(reader)
            elif reader.kind not in ENDING:
                return True
    return False


def _is_spaced(tape: Tape, x: Value) -> bool:
    """Whether rows are normalised of what a dilated convolution along one axis puts out: where it is moved out of the
    batch tile by tile, the differences from the mean are put out so, and stay beside what the convolution did."""
    return alike(tape, x).index in tape.tiled


def _has_signs(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Whether it is told apart once, for the way back too, which of its operands are cut off: after a normalisation,
    and of a relu6 where it is too much for the cache; one that is padded is computed anew with its padding. Before a
    normalisation only of what a transposed convolution puts out, of which a part is cut off."""
    before = tape.kernels[kernel.inputs[0].made] if kernel.inputs[0].made >= 0 else None
    if kernel.output.trained and alike(tape, kernel.inputs[0]).index in tape.sliced:
        return any(reader.kind == "sqdiff" for reader in tape.readers(kernel.output.index))
    if not kernel.output.trained or before is None or before.kind != "add":
        return False
    if kernel.kind == "relu6" and size_at(kernel.output.size, batch) < CACHE:
        return False
    return not any(reader.output.index in tape.padded for reader in tape.readers(kernel.output.index))


def _zeros(tape: Tape, resized: Kernel) -> Size:
    """What the gradient of what is resized is added to, made early since that is larger; those of a ReLU before it too,
    where nothing else can be computed in one kernel with them, or where another ReLU needs them later."""
    x = resized.inputs[0]
    maker = tape.kernels[x.made] if x.made >= 0 else None
    both = maker is not None and maker.kind == "relu" and (
        not is_normed(tape, maker.inputs[0]) or _is_compared(tape, maker))
    return x.size.times(1 + both).of(4)


def _is_compared(tape: Tape, relu: Kernel) -> bool:
    """Whether one of the same size before it is compared with the same zeros, after its gradient."""
    size, before = relu.output.size, tape.kernels[:relu.output.made]
    return any(one.kind == "relu" and one.phase == FORWARD and one.output.trained and one.output.size == size
               for one in before)


def _is_moved_twice(tape: Tape, relu: Kernel) -> bool:
    """Whether it is the second half of a PReLU of what was moved before (depth_to_space): the kernel that moves it puts
    out both halves, and of each what is cut off."""
    neg = tape.kernels[relu.inputs[0].made] if relu.inputs[0].made >= 0 else None
    if neg is None or neg.kind != "neg" or neg.inputs[0].made < 0:
        return False
    x = neg.inputs[0]
    return tape.kernels[x.made].kind == "copy" and any(one.kind == "relu" for one in tape.readers(x.index))


def is_normed(tape: Tape, value: Value) -> bool:
    """Whether it is what a normalisation gives: a sum with what is not of each sample."""
    kernel = tape.kernels[value.made] if value.made >= 0 else None
    return kernel is not None and kernel.kind == "add" and not all(one.size.each for one in kernel.inputs)


def _is_summed(tape: Tape, relu: Kernel, batch: int) -> bool:
    """Whether what is rectified is put out by the kernel that sums it up for its normalisation: where zeros for the
    gradient of a max-pool are made in that kernel too. That is the last one before the pool, and, where it is too much
    to be computed again (as seen at 64 MiB, not at 32), the first of its size."""
    size, readers = relu.output.size, tape.readers(relu.output.index)
    if not any(one.kind == "sqdiff" for one in readers):
        return False
    scaled = [one for reader in readers if reader.kind == "mul" for one in tape.readers(reader.output.index)]
    normed = [one.output for one in scaled if is_normed(tape, one.output)]
    if any(one.kind == "max_pool" for value in normed for one in tape.readers(value.index)):
        return True
    alike_sized = [one for one in tape.kernels if one.kind in ("relu", "max_pool") and one.inputs[0].size == size]
    return (size_at(size, batch) > 2 * MUCH and alike_sized[0] is relu
            and any(one.kind == "max_pool" for one in alike_sized))


def _is_weighted(tape: Tape, silu: Kernel) -> bool:
    """Whether a swish of half the width is averaged and then weighted (squeeze and excite): to compute it again takes
    longer than to read it."""
    readers = list(tape.readers(silu.output.index))
    readers += [one for reader in readers if reader.kind == "cast" for one in tape.readers(reader.output.index)]
    kinds = {reader.kind for reader in readers}
    return silu.output.size.item < 4 and {"mean", "mul"} <= kinds


def _keeps_erfc(tape: Tape, kernel: Kernel) -> bool:
    """An exact GELU computes it again in float32 after a convolution, but not after one along one axis, and after a
    normalisation by the whole batch."""
    before = alike(tape, kernel.inputs[0])
    if before.made < 0:
        return False
    weighed = [one for reader in tape.readers(kernel.output.index) for one in tape.readers(reader.output.index)]
    if any(one.kind == "sqdiff" and not one.inputs[1].size.each for one in weighed):  # the GELU itself stays
        return False
    maker = tape.kernels[before.made]
    by_sample = maker.kind == "add" and all(value.size.each for value in maker.inputs)
    along = before.index in tape.flat or before.index in tape.lines
    return maker.kind == "contract" or along or by_sample or kernel.output.size.item < 4


def _is_mask(tape: Tape, kernel: Kernel) -> bool:
    """The mask of a dropout: what it is drawn from is not drawn again."""
    drawn = kernel.inputs[0].made >= 0 and tape.kernels[kernel.inputs[0].made].kind == "random"
    readers = tape.readers(kernel.output.index)
    return drawn and any(reader.kind == "select" and reader.output.trained for reader in readers)


def _is_costly_drop(tape: Tape, kernel: Kernel) -> bool:
    """Whether a dropout comes right after what takes an exponential: then the bits stay that its mask is made of, but
    after a GELU in half precision, of which the part that takes it is kept itself (_keeps_erfc)."""
    taken = [alike(tape, reader.inputs[-1]) for reader in tape.readers(kernel.output.index) if reader.kind == "select"]
    makers = [tape.kernels[value.made] for value in taken if value.made >= 0]
    return any(maker.kind == "selu" or (maker.kind == "mul" and maker.output.size.item >= 4 and _is_gelu(tape, maker))
               for maker in makers)


def _is_gelu(tape: Tape, maker: Kernel) -> bool:
    inputs = [alike(tape, value) for value in maker.inputs]
    made = [tape.kernels[value.made].kind for value in inputs if value.made >= 0]
    return "erfc" in made and "contract" in made


def _is_costly(tape: Tape, x: Value, of_rows: bool) -> bool:
    """Whether what is normalised is kept: a GELU; of rows also sums, and what takes an exponential."""
    before = alike(tape, x)
    if before.made < 0:
        return False
    maker = tape.kernels[before.made]
    kinds = {tape.kernels[value.made].kind for value in maker.inputs if value.made >= 0}
    if maker.kind == "softplus" or (maker.kind == "mul" and "erfc" in kinds):
        return True
    if maker.kind == "silu" and (made := alike(tape, maker.inputs[0]).made) >= 0:
        return of_rows or tape.kernels[made].kind == "contract"
    return of_rows and maker.kind == "add" and len(maker.inputs) == 2


def _is_wide(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Differences from the mean in float32 of a tensor of half the width: a reduction of few rows gives them beside the
    variance, and the way back reads them; one of more is split in two (xla/service/gpu/reduction_utils.cc:
    ReductionIsRaceFree)."""
    x = kernel.inputs[0]
    if x.made < 0 or tape.kernels[x.made].kind != "cast":
        return False
    narrow = tape.kernels[x.made].inputs[0].size.item < x.size.item
    columns = max(1, kernel.inputs[1].size.fixed)
    return narrow and columns <= COLUMNS and (x.size.fixed + x.size.each * batch) // columns <= ROWS


def read(tape: Tape, kernel: Kernel, held: set[int]) -> Value | None:
    """What the way back, or the loss, computes something of: what the kernel puts out, or a tanh of that which is
    `held` for its readers. None where it is only added or joined before it is held."""
    todo, instead = [kernel.output.index], None
    while todo:
        readers = tape.readers(todo.pop())
        if not readers:
            return kernel.output
        for reader in readers:
            if reader.kind in BY_OUTPUT and reader.output.index in held:
                instead = reader.output
            elif reader.kind in PASSING:
                todo += [reader.output.index] if reader.output.index not in held else []
            elif reader.kind not in ENDING:
                return kernel.output
    return instead


def is_crossed(tape: Tape, kernel: Kernel) -> bool:
    """Whether a convolution puts out what is compared with numbers of classes: the loss takes its channels in a row, as
    cuDNN has not in float32, so that the kernel that turns them puts out their gradient and the terms of the loss."""
    value = kernel.output
    if kernel.kind != "convolve" or value.size.item != 4:
        return False
    while value.index not in tape.crossed:
        readers = tape.readers(value.index)
        if len(readers) != 1 or readers[0].kind not in ALIKE | SOFTMAX:
            return False
        value = readers[0].output
    return True


def is_moved(tape: Tape, value: Value) -> bool:
    """What a dilated convolution puts out, where it is put back in place, or a transposed one of which a part is cut
    off, and rectified for another one: of that only the signs stay."""
    todo = tape.readers(value.index)
    if not todo or (value.index not in tape.sliced and any(reader.kind != "copy" for reader in todo)):
        return False
    while todo and all(reader.kind in ALIKE for reader in todo):
        todo = [one for reader in todo for one in tape.readers(reader.output.index)]
    if value.index in tape.sliced and any(one.kind != "leaky_relu" for one in todo):
        return False
    after = [one for reader in todo for one in tape.readers(reader.output.index)]
    return all(one.kind in RECTIFIED for one in todo) and all(one.kind in (*ENDING, "spaced") for one in after)


def is_cut(tape: Tape, kernel: Kernel) -> bool:
    """What a transposed convolution puts out, of which a part is cut off, and that is rectified: where it is told by a
    byte each beside the gradient of the bias, which is then written over; but not where zeros of that size are put out
    for a max-pool of what is rectified, which are then selected instead."""
    if kernel.output.index not in tape.sliced:
        return False
    readers = tape.readers(alike(tape, kernel.output, forwards=True).index)
    if len(readers) != 1 or readers[0].kind != "relu":
        return False
    pooled = [origin(tape, one.inputs[0]) for one in tape.kernels if one.kind == "max_pool"]
    return not any(one.size == readers[0].output.size and one.made >= 0 and tape.kernels[one.made].kind == "relu"
                   for one in pooled)


def is_added(tape: Tape, kernel: Kernel) -> bool:
    """What a convolution puts out, where it is only added to what a later one does, which cuDNN adds it to
    (xla/service/gpu/transforms/cudnn_fused_conv_rewriter.cc: FuseBiasOrSideInput)."""
    value = alike(tape, kernel.output, forwards=True)
    readers = tape.readers(value.index)
    if kernel.kind != "convolve" or len(readers) != 1 or readers[0].kind != "add":
        return False
    others = [alike(tape, one) for one in readers[0].inputs if one is not value]
    makers = [tape.kernels[one.made] for one in others if one.made >= 0]
    return any(one.kind == "convolve" and one.output.made > kernel.output.made
               and alike(tape, one.output, forwards=True) in readers[0].inputs for one in makers)


def largest_marked(tape: Tape, kernel: Kernel) -> Size:
    """Bytes of what tells where the largest are of what a convolution along one axis puts out, for a global max-pool,
    if it is normalised before: the kernel that counts these gives it too, and where that is rectified also what of it
    is cut off; as seen with 1,024 and 1,152 places along one axis, and not with 1,024 and 2,304 along two."""
    todo, marks, seen, normed = [kernel.output], 1, {kernel.output.index}, False
    if kernel.output.index not in tape.flat:
        return Size(0)
    while todo:
        for reader in tape.readers(todo.pop().index):
            normed = normed or reader.kind == "sqdiff"
            if reader.kind == "max" and reader.output.trained:
                return kernel.output.size.of(1).times(marks if normed else 0)
            if reader.kind not in ENDING and reader.output.index not in seen \
                    and reader.output.size.each == kernel.output.size.each:
                marks += reader.kind == "relu"
                seen.add(reader.output.index)
                todo.append(reader.output)
    return Size(0)


def is_scored(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Scores of an attention of which only the probabilities stay, since they are too many for the cache: fewer are
    read again for what comes after (xla/service/gpu/model/gpu_performance_model_base.cc: ReadTime); as seen at 18 MiB
    and not at 16."""
    value = alike(tape, kernel.output, forwards=True)
    readers = tape.readers(value.index)
    narrow = kernel.output.size.item < 4  # probabilities are narrowed, and computed again as wide as they were
    if kernel.kind != "contract" or narrow or size_at(kernel.output.size, batch) <= MUCH or len(readers) != 1:
        return False
    return readers[0].kind in SOFTMAX and _is_weighing(tape, readers[0].output)


def _is_weighing(tape: Tape, value: Value) -> bool:
    """Whether a product takes probabilities, and no dropout stands between; those that a model gives are for a loss."""
    todo, taken = [value], False
    while todo:
        for reader in tape.readers(todo.pop().index):
            if reader.kind == "select":
                return False
            taken = taken or reader.kind == "contract"
            if reader.kind not in ENDING:
                todo.append(reader.output)
    return taken
