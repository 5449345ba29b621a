"""Where a value of the step comes from as XLA sees it: what is computed again with its readers is looked through."""

from __future__ import annotations

from cudnnlint.ops.kernels.tape import Kernel, Size, Tape, Value

HEAVY = frozenset({"contract", "convolve", "loop", "rows", "max_pool"})
ENDING = frozenset({"contract", "convolve", "max_pool"})
"""What keeps its operand itself."""
ALIKE = frozenset({"bias", "scale", "shift", "view", "cast", "copy", "spaced", "transposed", "folded"})
"""Of one operand, and computed again with whatever reads them."""
UNARY = frozenset({"relu", "relu6", "leaky_relu", "elu", "selu", "tanh", "sigmoid", "silu", "softplus"})
SINGLE = UNARY | {"add", "sub", "mul", "bias", "scale", "shift", "cast", "view"}
"""Of each number by itself."""
RECTIFIED = frozenset({"relu", "relu6", "leaky_relu"})
SOFTMAX = frozenset({"softmax", "scaled", "scaled_softmax"})


def size_at(size: Size, batch: int) -> int:
    return (size.fixed + size.each * batch) * size.item


def is_multiplied(kernel: Kernel) -> bool:
    """Whether cuBLAS computes it: a product with a column, as a Dense(1) has, is a sum of what is multiplied number by
    number, and so are its gradients (xla/hlo/transforms/simplifiers/algebraic_simplifier.cc:
    ShouldStrengthReduceDotToReduce)."""
    if kernel.kind != "contract":
        return False
    x, weight = kernel.inputs[0].size, kernel.inputs[-1].size
    return bool(weight.each) or not x.each or weight.fixed * kernel.output.size.each != x.each


def above(tape: Tape, value: Value) -> list[Value]:
    """What convolutions and products put out that a value is computed from, where it is not that itself; or what they
    take, which is put out for them, as where sums go on along a chain of blocks."""
    found: dict[int, Value] = {}
    root = origin(tape, value)
    if root.made >= 0 and tape.kernels[root.made].kind in HEAVY:
        return []
    todo, seen = [root], set[int]()
    while todo:
        one = todo.pop()
        if one.made < 0 or one.index in seen:
            continue
        seen.add(one.index)
        if one is not root and is_put_out(tape, one):
            found[one.index] = one
        else:
            todo += [each for each in tape.kernels[one.made].inputs if each.size.each]
    return list(found.values())


def is_put_out(tape: Tape, value: Value) -> bool:
    """Whether what is computed from a value reads it from memory: a convolution or product gives it, or takes it."""
    return tape.kernels[value.made].kind in HEAVY or _is_taken(tape, value)


def written_over(tape: Tape, kernel: Kernel, value: Value) -> Value | None:
    """Of what a value is computed from number by number that in whose memory it is written: of its size, not read
    after the kernel that takes it, and no part of what cuDNN gives, which is a tuple with its scratch (xla/service/gpu/
    buffer_sharing.cc: FusionCanShareBufferHint)."""
    root = origin(tape, value)
    found = [one for one in above(tape, root) if one.size == root.size and tape.kernels[one.made].kind not in HEAVY
             and _is_over(tape, one, root, kernel)]
    return found[0] if found else None


def _is_over(tape: Tape, value: Value, root: Value, kernel: Kernel) -> bool:
    """Whether each way on from a value ends in the root, or before the kernel, and is of single numbers."""
    todo, seen = [value], set[int]()
    while todo:
        one = todo.pop()
        if one.index in seen:
            continue
        seen.add(one.index)
        for reader in tape.readers(one.index):
            if reader.output.made > kernel.output.made:
                return False
            if reader.kind in HEAVY or reader.output is root:
                continue
            if reader.kind not in SINGLE or reader.output.size != root.size:
                return False
            todo.append(reader.output)
    return True


def _is_taken(tape: Tape, value: Value) -> bool:
    """Whether a convolution or product takes it, or a max-pool."""
    readers = list(tape.readers(value.index))
    readers += [one for reader in readers if reader.view or reader.kind == "pad"
                for one in tape.readers(reader.output.index)]
    return any(reader.kind in ENDING for reader in readers)


def alike(tape: Tape, value: Value, *, forwards: bool = False) -> Value:
    while forwards and len(found := tape.readers(value.index)) == 1 and found[0].kind in ALIKE:
        value = found[0].output
    while not forwards and value.made >= 0 and tape.kernels[value.made].kind in ALIKE:
        value = tape.kernels[value.made].inputs[0]
    return value


def is_convolved(tape: Tape, value: Value) -> bool:
    """Whether it is what a convolution puts out, but for what is done to each element by itself."""
    while value.made >= 0 and (kernel := tape.kernels[value.made]).kind != "convolve":
        if kernel.kind not in ALIKE | UNARY:
            return False
        value = kernel.inputs[0]
    return value.made >= 0


def uncast(tape: Tape, value: Value) -> Value:
    """As it was before it was widened."""
    while value.made >= 0 and (tape.kernels[value.made].view or tape.kernels[value.made].kind == "cast"):
        value = tape.kernels[value.made].inputs[0]
    return value


def of_weight(tape: Tape, value: Value) -> bool:
    """Whether it is a variable that is trained, as it is or narrowed."""
    return value.trained and uncast(tape, value).held


def turned(tape: Tape, reader: Kernel, value: Value) -> Value:
    """What a kernel takes; a product of stacks of matrices turns them by itself."""
    value = origin(tape, value)
    if reader.kind == "contract" and all(one.size.each for one in reader.inputs):
        while value.made >= 0 and tape.kernels[value.made].kind in ("folded", "transposed"):
            value = origin(tape, tape.kernels[value.made].inputs[0])
    return value


def origin(tape: Tape, value: Value) -> Value:
    """What a view looks at; a convolution pads by itself."""
    while value.made >= 0 and (tape.kernels[value.made].view or tape.kernels[value.made].kind == "pad"):
        value = tape.kernels[value.made].inputs[0]
    return value
