"""The operations that layers are made of, each under the name by which its gradient is found."""

from __future__ import annotations

from cudnnlint.ops.kernels.tape import Size, Tape, Value

NONE = Size(0)
SHAPE = "shape"
PACKED = 3
"""Operations that put an extent of one tensor into the shape of another: Shape, StridedSlice, Pack."""


def larger(a: Value, b: Value) -> Size:
    """The size of what two operands broadcast to."""
    one, other = a.size, b.size
    return one if (one.each, one.fixed) >= (other.each, other.fixed) else other.of(one.item)


def unary(t: Tape, kind: str, x: Value) -> Value:
    """An elementwise function of one operand; `kind` says what its gradient reads (gradients.UNARY)."""
    return t.run(kind, (x,), x.size, reuse=True)


def binary(t: Tape, kind: str, a: Value, b: Value, size: Size | None = None) -> Value:
    return t.run(kind, (a, b), size or larger(a, b), reuse=True)


def add(t: Tape, a: Value, b: Value) -> Value:
    return binary(t, "add", a, b)


def subtract(t: Tape, a: Value, b: Value) -> Value:
    return binary(t, "sub", a, b)


def multiply(t: Tape, a: Value, b: Value) -> Value:
    return binary(t, "mul", a, b)


def divide(t: Tape, a: Value, b: Value) -> Value:
    return binary(t, "div", a, b)


def scale(t: Tape, x: Value) -> Value:
    """By a number, or a number added: the gradient reads nothing."""
    return t.run("scale", (x,), x.size, reuse=True)


def shift(t: Tape, x: Value) -> Value:
    return t.run("shift", (x,), x.size, reuse=True)


def contract(t: Tape, a: Value, b: Value, size: Size) -> Value:
    """A matrix product: each gradient reads the other operand."""
    return t.run("contract", (a, b), size)


def convolve(t: Tape, a: Value, b: Value, size: Size) -> Value:
    """A convolution, or the transpose of one; its gradients are convolutions too."""
    return t.run("convolve", (a, b), size)


def bias(t: Tape, x: Value, b: Value) -> Value:
    return t.run("bias", (x, b), x.size, reuse=True)


def view(t: Tape, x: Value, size: Size | None = None) -> Value:
    """Another shape of the same memory."""
    return t.run("view", (x,), size or x.size, view=True)


def shape_of(t: Tape, x: Value, operations: int = 1) -> Value | None:
    """What of the shape of x is computed in so many operations, where the graph does not know the batch."""
    if not (t.open and x.size.each):
        return None
    for _ in range(operations):
        made = t.run(SHAPE, (), NONE)
        t.kernels[-1].after, made.held = x, True  # in the memory of the host
        x = made
    return x


def zeros_like(t: Tape, x: Value) -> Value:
    """No gradient passes."""
    made = t.run("zeros_like", (x,), x.size)
    made.trained = False
    return made


def waiting(t: Tape, made: Value, shape: Value | None) -> Value:
    """Not before that shape is known."""
    if shape is not None:
        t.kernels[made.made].after = shape
    return made


def cast(t: Tape, x: Value, item: int) -> Value:
    return x if x.size.item == item else t.run("cast", (x,), x.size.of(item))


def reduce(t: Tape, x: Value, size: Size, kind: str = "sum") -> Value:
    """Sum or mean over some axes."""
    return t.run(kind, (x,), size)


def widely_averaged(t: Tape, x: Value, size: Size) -> Value:
    """The mean of half precision is computed in float32 (keras/src/backend/tensorflow/numpy.py: mean)."""
    wide = max(4, x.size.item)
    return cast(t, reduce(t, cast(t, x, wide), size.of(wide), "mean"), x.size.item)


def stop(t: Tape, x: Value) -> Value:
    """No gradient passes."""
    made = view(t, x)
    made.trained = False
    return made


def copy(t: Tape, x: Value, size: Size | None = None) -> Value:
    """Moved elements: transposed, padded, sliced, repeated; so does its gradient."""
    return t.run("copy", (x,), size or x.size)


def transposed(t: Tape, x: Value, size: Size) -> Value:
    """A stack of matrices, each transposed; a product may read them as they were (matmul)."""
    return t.run("transposed", (x,), size)


def matmul(t: Tape, a: Value, b: Value, size: Size) -> Value:
    """A product that reads what is transposed in place (tensorflow/core/grappler/optimizers/arithmetic_optimizer.cc:
    FoldTransposeIntoMatMul); memory/shared.py leaves out what nobody else reads."""
    for value in (a, b):
        if value.made >= 0 and t.kernels[value.made].kind == "transposed":
            t.kernels[value.made].kind = "folded"
    return contract(t, a, b, size)


def joined(t: Tape, parts: tuple[Value, ...], size: Size) -> Value:
    return t.run("concat", parts, size)


def random(t: Tape, size: Size) -> Value:
    """Drawn at the start of the step: nothing stands before it."""
    return t.run("random", (), size)


def drawn(t: Tape, size: Size) -> Value:
    """Drawn from a seed that is read, and counted up before the next one is (keras/src/random/seed_generator.py:
    SeedGenerator.next)."""
    seed = t.run("read", (), NONE)
    t.kernels[-1].after = t.drawn
    t.drawn = t.run("assign", (seed,), NONE)
    return t.run("random", (seed,), size)


def sown(t: Tape, size: Size) -> Value:
    """Drawn from a layer's own seed, which each call counts up before the next one reads it: where a step calls a model
    several times the masks come one after another (keras/src/random/seed_generator.py: SeedGenerator.next)."""
    if t.compiled:
        return random(t, size)
    seed = t.run("read", (), NONE)
    t.kernels[-1].after = t.sown.get(t.layer)
    counted = t.run("count", (t.run("count", (seed,), NONE),), NONE)
    t.sown[t.layer] = t.run("assign", (counted,), NONE)
    return t.run("random", (t.run("count", (t.run("count", (seed,), NONE),), NONE),), size)


def dropout(t: Tape, x: Value, noise: Size | None = None) -> Value:
    """tensorflow/python/ops/nn_ops.py: _dropout keeps a mask of one byte each."""
    drawn_ = waiting(t, sown(t, (noise or x.size).of(x.size.item)), shape_of(t, x))
    mask = t.run("compare", (drawn_,), (noise or x.size).of(1))
    return t.run("select", (mask, scale(t, x)), x.size, reuse=True)


def moments(t: Tape, x: Value, size: Size) -> tuple[Value, Value]:
    """tensorflow/python/ops/nn_impl.py: moments."""
    mean = reduce(t, x, size, "mean")
    variance = reduce(t, t.run("sqdiff", (x, stop(t, mean)), x.size, reuse=True), size, "mean")
    return (view(t, mean), view(t, variance)) if not size.each else (mean, variance)  # squeezed


def normalized(t: Tape, x: Value, mean: Value, variance: Value, offset: Value | None, factor: Value | None,
               *, wide: Size | None = None) -> Value:
    """tensorflow/python/ops/nn_impl.py: batch_normalization. `wide`: what statistics and factor broadcast to."""
    inverse = unary(t, "rsqrt", shift(t, variance))
    if factor is not None:
        inverse = binary(t, "mul", inverse, factor, wide)
    scaled = multiply(t, x, cast(t, inverse, x.size.item))
    back = multiply(t, mean, inverse)
    return add(t, scaled, subtract(t, offset, back) if offset is not None else unary(t, "neg", back))


def standardized(t: Tape, x: Value, mean: Value, variance: Value, offset: Value | None, factor: Value | None,
                 wide: Size) -> Value:
    """x * factor + (offset - mean * factor) as Keras 3 spells it, where the mean of each row is negated, not the
    product (keras/src/ops/nn.py: _layer_normalization, keras/src/layers/normalization/group_normalization.py)."""
    inverse = unary(t, "rsqrt", shift(t, variance))
    if factor is not None:
        inverse = binary(t, "mul", inverse, factor, wide)
    moved = multiply(t, unary(t, "neg", mean), inverse)
    return add(t, multiply(t, x, inverse), add(t, moved, offset) if offset is not None else moved)
