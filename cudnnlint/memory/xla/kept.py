"""What XLA keeps of the forward pass besides what convolutions and products take.

Each rule as seen in its buffer assignments for nets of six equal blocks, of which one kept more or less than with a
ReLU: docs/memory.md.
"""

from __future__ import annotations

from cudnnlint.memory.xla.joined import AVERAGED, CACHE, MUCH, SIGNS, is_joined_again, is_put_out
from cudnnlint.memory.xla.masks import BITS, has_signs, is_costly_drop, is_mask, is_moved_twice
from cudnnlint.memory.xla.values import ENDING, alike, size_at, uncast
from cudnnlint.ops.kernels.tape import FORWARD, Kernel, Size, Tape, Value

PASSING = frozenset({"bias", "add", "sub", "scale", "shift", "view", "cast", "concat", "pad", "mean", "sum", "copy",
                     "spaced", "transposed", "folded", AVERAGED})
"""Linear: their gradients read none of their operands."""
BY_OUTPUT = frozenset({"tanh", "sigmoid", "elu", "selu"})
"""Whose gradient reads what they give."""
SIGNED, ZEROS = frozenset({"relu6", "leaky_relu"}), -1 << 40
MOVED = 2
"""Parts of an exact GELU of what is moved out of the batch that are kept, as seen in float32."""
STORED = SIGNED | {"relu", "resized", "compare", "erfc", AVERAGED, "concat", "silu", "sqdiff", "square", "elu"}
"""What is no convolution or product, and of which something may stay."""
ROWS, WARP = 4096, 32
"""A column reduction of more rows is split (32 warps of 128)."""
BLOCKS, FULL = frozenset({1, 5, 6, 7, 8, 11, 12}), frozenset({2, 4})
"""How many warps stand beside each other in a column reduction that is given differences from the mean instead of
computing them, as seen of 8 to 1,024 columns and 256 to 4,096 rows on a T4; FULL: where the columns fill them."""


def stored(tape: Tape, kernel: Kernel, batch: int) -> tuple[tuple[int, Size], ...]:
    """What a kernel that is no convolution or product keeps for the way back: by what, and how much."""
    if kernel.phase == FORWARD and kernel.kind in SIGNED and has_signs(tape, kernel, batch):
        return ((SIGNS - kernel.output.index, kernel.output.size.of(1)),)
    if kernel.kind == "relu" and kernel.output.trained and is_moved_twice(tape, kernel):
        return ((SIGNS - kernel.output.index, kernel.output.size.of(2)),)
    if kernel.kind == "relu" and kernel.output.trained and kernel.phase == FORWARD \
            and _is_normed_along(tape, kernel, batch):
        return ((SIGNS - kernel.output.index, kernel.output.size.of(1)),)
    if kernel.kind == "relu" and kernel.output.trained and is_joined_again(tape, kernel):
        return ((SIGNS - kernel.output.index, kernel.output.size.of(1)),)
    if kernel.kind == "resized" and kernel.phase == FORWARD and kernel.output.trained:
        return ((ZEROS - kernel.output.index, _zeros(tape, kernel)),)
    times = BITS if kernel.kind == "compare" and is_costly_drop(tape, kernel) else 1
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
        return (kernel.output,) if is_mask(tape, kernel) else ()
    if kernel.kind == "elu":
        return (kernel.output,) if _is_parted(tape, kernel) else ()
    if kernel.kind not in ("square", "sqdiff"):
        return ()
    x = uncast(tape, kernel.inputs[0])
    if kernel.kind == "square":
        return (x,) if _is_measured(tape, kernel, x) else ()
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


def _is_measured(tape: Tape, square: Kernel, x: Value) -> bool:
    """Whether the squares of a GELU are summed up, and it is read again for what it is divided by then: the kernel that
    sums them puts it out (global response normalization)."""
    summed = any(reader.kind in ("sum", "mean") for reader in tape.readers(square.output.index))
    return summed and len(tape.readers(x.index)) > 1 and _is_costly(tape, x, of_rows=False)


def _is_parted(tape: Tape, elu: Kernel) -> bool:
    """Whether an ELU of a sum goes two ways, as out of a residual block: it is put out for both, and its gradient reads
    that instead of computing it again from what was added."""
    value = elu.inputs[0]
    maker = tape.kernels[value.made] if value.made >= 0 else None
    return maker is not None and maker.kind == "add" and len(tape.readers(elu.output.index)) > 1 \
        and all(one.size.each for one in maker.inputs)


def _is_spaced(tape: Tape, x: Value) -> bool:
    """Whether rows are normalised of what a dilated convolution along one axis puts out: where it is moved out of the
    batch tile by tile, the differences from the mean are put out so, and stay beside what the convolution did."""
    return alike(tape, x).index in tape.tiled


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


def is_normed(tape: Tape, value: Value) -> bool:
    """Whether it is what a normalisation gives: a sum of what is of each sample with what is not."""
    kernel = tape.kernels[value.made] if value.made >= 0 else None
    return kernel is not None and kernel.kind == "add" and len({bool(one.size.each) for one in kernel.inputs}) == 2


def _is_normed_along(tape: Tape, relu: Kernel, batch: int) -> bool:
    """Whether it rectifies the normalisation by the whole batch of what a convolution along one axis puts out, or a sum
    with such: which are cut off is told as it is rectified, where it is too much for the cache to be read again."""
    told = any(one.kind in ("max_pool", "max", "pad") for one in tape.readers(relu.output.index))
    if relu.output.size.item < 4 or told or size_at(relu.output.size, batch) < CACHE:
        return False
    value = relu.inputs[0]
    maker = tape.kernels[value.made] if value.made >= 0 else None
    if maker is not None and maker.kind == "add" and not is_normed(tape, value):
        return any(_normed_along(tape, alike(tape, one)) for one in maker.inputs)
    return _normed_along(tape, value)


def _normed_along(tape: Tape, value: Value) -> bool:
    if not is_normed(tape, value):
        return False
    scaled = next(one for one in tape.kernels[value.made].inputs if one.size.each)
    if scaled.made < 0 or tape.kernels[scaled.made].kind != "mul":
        return False
    return any(alike(tape, one).index in tape.flat for one in tape.kernels[scaled.made].inputs if one.size.each)


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
    if size_at(size, batch) <= 2 * MUCH:
        return False
    alike_sized = [one for one in tape.kernels if one.kind in ("relu", "max_pool") and one.inputs[0].size == size]
    return alike_sized[0] is relu and any(one.kind == "max_pool" for one in alike_sized)


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
    by_sample = maker.kind == "add" and any(_is_scaled_by_sample(tape, value) for value in maker.inputs)
    along = before.index in tape.flat or before.index in tape.lines
    return maker.kind == "contract" or along or by_sample or kernel.output.size.item < 4


def _is_scaled_by_sample(tape: Tape, value: Value) -> bool:
    """Whether it is what is normalised of each sample by itself, before it is shifted."""
    maker = tape.kernels[value.made] if value.made >= 0 else None
    return maker is not None and maker.kind == "mul" and any(
        reader.kind == "sqdiff" and reader.inputs[1].size.each for one in maker.inputs for reader in tape.readers(
            one.index))


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
    return of_rows and maker.kind in ("add", "mul") and len(maker.inputs) == 2


def _is_wide(tape: Tape, kernel: Kernel, batch: int) -> bool:
    """Differences from the mean in float32 of a tensor of half the width: a reduction of few rows gives them beside the
    variance, and the way back reads them; one of more is split in two (xla/service/gpu/reduction_utils.cc:
    ReductionIsRaceFree)."""
    x = kernel.inputs[0]
    if x.made < 0 or tape.kernels[x.made].kind != "cast":
        return False
    narrow = tape.kernels[x.made].inputs[0].size.item < x.size.item
    columns = max(1, kernel.inputs[1].size.fixed)
    return narrow and _is_given(columns) and (x.size.fixed + x.size.each * batch) // columns <= ROWS


def _is_given(columns: int) -> bool:
    """
    >>> [columns for columns in (24, 48, 64, 96, 112, 128, 144, 256, 320, 384, 512) if _is_given(columns)]
    [24, 64, 128, 144, 256, 384]
    """
    blocks = -(-columns // WARP)
    return blocks in BLOCKS or (blocks in FULL and columns == blocks * WARP)


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
            elif reader.kind in PASSING or reader.kind == "select":
                todo += [reader.output.index] if reader.output.index not in held else []
            elif reader.kind not in ENDING:
                return kernel.output
    return instead
