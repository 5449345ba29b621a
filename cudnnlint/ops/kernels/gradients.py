"""What the backward pass runs for each operation, and what of the forward pass it reads (TensorFlow's gradients).

tensorflow/python/ops/nn_grad.py, math_grad.py, array_grad.py
"""

from __future__ import annotations

from collections.abc import Mapping

from cudnnlint.ops.kernels.maths import (
    binary,
    copy,
    multiply,
    reduce,
    scale,
    shape_of,
    subtract,
    unary,
    view,
    waiting,
    zeros_like,
)
from cudnnlint.ops.kernels.slopes import ACTIVATED, AGAIN, CURVED, PENALTIES, Grads, Rule, late, twice
from cudnnlint.ops.kernels.tape import Kernel, Tape, Value
from cudnnlint.ops.kernels.unfolded import unfolded

UNARY: Mapping[str, str] = {
    **dict.fromkeys(("relu", "relu6", "elu", "selu", "sigmoid", "tanh", "sqrt", "rsqrt", "exp"), "output"),
    **dict.fromkeys(("leaky_relu", "softsign", "log1p", "log"), "input"),
    **dict.fromkeys(("neg", "scale", "shift"), ""),
}
"""Which of its operands the gradient of an elementwise function reads; it may write into the gradient it is given."""


ELEMENTS = 4
"""Operations that count the elements of a tensor: Shape, GatherV2, Prod, Cast (math_grad.py: _MeanGrad)."""
BROKEN = frozenset({"relu", "relu6", "leaky_relu"})
"""Linear by pieces, by a kernel of their own for the gradient."""


def _like(t: Tape, grad: Value, value: Value) -> Value:
    """The gradient of an operand that was broadcast: summed to its size, and where it had fewer axes given its shape
    (math_grad.py: _ReduceGradientArg)."""
    if grad.size.fixed == value.size.fixed and grad.size.each == value.size.each:
        return grad
    total = reduce(t, grad, value.size)
    return total if value.size.each else view(t, total)


def _unary(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    reads = UNARY[kernel.kind]
    if kernel.kind == "shift":
        return (dy,)
    if kernel.kind == "scale":
        return (scale(t, dy),)
    if kernel.kind == "exp":
        return (multiply(t, dy, kernel.output),)
    more = (kernel.output,) if reads == "output" else kernel.inputs if reads == "input" else ()
    kind = "broken_grad" if kernel.kind in BROKEN else CURVED.get(kernel.kind, "bent")
    kind = kind if more else "grad"
    return (t.run(kind, (dy, *more), dy.size, reuse=True),)


def _add(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return tuple(_like(t, dy, value) if value.trained else None for value in kernel.inputs)


def _sub(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    a, b = kernel.inputs
    return (_like(t, dy, a) if a.trained else None, _like(t, unary(t, "neg", dy), b) if b.trained else None)


def _mul(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    a, b = kernel.inputs
    return (_like(t, multiply(t, dy, b), a) if a.trained else None,
            _like(t, multiply(t, dy, a), b) if b.trained else None)


def _div(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    a, b = kernel.inputs
    ratio = binary(t, "div", binary(t, "div", unary(t, "neg", a), b), b) if b.trained else None
    return (_like(t, binary(t, "div", dy, b), a) if a.trained else None,
            _like(t, multiply(t, dy, ratio), b) if ratio is not None else None)


def _square(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return (multiply(t, dy, twice(t, kernel.inputs[0], dy)),)


def _power(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """The gradient is multiplied by the exponent, and by what of a square is the operand (math_grad.py: _PowGrad)."""
    return (multiply(t, scale(t, dy), kernel.inputs[0]),)


def _square_error(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """The same, once the square is there: it stands before in the step."""
    x = kernel.inputs[0]
    return (multiply(t, dy, late(t, scale(t, x), kernel.output)),)


def _sqdiff(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    a, b = kernel.inputs
    made = multiply(t, twice(t, dy, dy), late(t, subtract(t, a, b), dy))
    return (_like(t, made, a) if a.trained else None, _like(t, unary(t, "neg", made), b) if b.trained else None)


def _contract(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """Operands in the order in which the kernels take them: MatMul, BatchMatMul (math_grad.py)."""
    a, b = kernel.inputs
    return (t.run("contract", (dy, b), a.size) if a.trained else None,
            t.run("contract", (a, dy), b.size) if b.trained else None)


def _convolve(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """Conv2DBackpropInput, Conv2DBackpropFilter (nn_grad.py)."""
    a, b = kernel.inputs
    dx = t.run("convolve", (b, dy), a.size) if a.trained else None
    weights = t.run("convolve", (a, dy), b.size) if b.trained else None
    unfolded(t, kernel.output, dx, weights)
    return dx, weights


def _bias(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    b = kernel.inputs[1]
    return dy, reduce(t, dy, b.size) if b.trained else None


def _view(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return (view(t, dy, kernel.inputs[0].size),)


def _spread(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return (view(t, reduce(t, dy, kernel.inputs[0].size)),)


def _copy(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    made = copy(t, dy, kernel.inputs[0].size)
    if kernel.output.index in t.mirrored:
        t.folding[made.index] = dy.size
    return (made,)


def _cast(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return (t.run("cast", (dy,), kernel.inputs[0].size),)


def _sum(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """Where the graph does not know the batch it is repeated once the shape is known (math_grad.py: _SumGrad)."""
    return (_repeated(t, kernel, dy),)


def _repeated(t: Tape, kernel: Kernel, dy: Value) -> Value:
    x = kernel.inputs[0]
    return waiting(t, copy(t, dy, x.size), shape_of(t, x, t.totals.get(kernel.output.index, 1)))


def _mean(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """And divided by the number of elements (_MeanGrad)."""
    return (waiting(t, scale(t, _repeated(t, kernel, dy)), shape_of(t, kernel.inputs[0], ELEMENTS)),)


def _greatest(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    x = kernel.inputs[0]
    equal = t.run("cast", (t.run("compare", (kernel.output, x), x.size.of(1)),), x.size)
    share = binary(t, "div", equal, reduce(t, equal, kernel.output.size))
    return (multiply(t, share, dy),)


def _pool(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return (t.run("pool_grad", (kernel.inputs[0], kernel.output, dy), kernel.inputs[0].size, reuse=True),)


def _average(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return (t.run("pool_grad", (dy,), kernel.inputs[0].size),)


def _concat(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return tuple(t.run("copy", (dy,), value.size) if value.trained else None for value in kernel.inputs)


def _select(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    mask, *rest = kernel.inputs
    return (None, *(_like(t, t.run("select", (mask, dy), dy.size, reuse=True), value) if value.trained else None
                    for value in rest))


def _choose(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """Zeros as large as the first operand wait for it alone, and are made on the way forward (math_grad.py:
    _SelectGrad)."""
    mask, *rest = kernel.inputs
    zeros = zeros_like(t, rest[0])
    orders = ((mask, dy, zeros), (mask, zeros, dy))
    return (None, *(t.run("select", order, dy.size, reuse=True) if value.trained else None
                    for order, value in zip(orders, rest, strict=False)))


def _through(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return (dy,)


def _kept(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """A kernel of its own that reads the input and gives one gradient (fused normalisation, resizing)."""
    more = tuple(t.run("sum", (dy,), value.size) if value.trained else None for value in kernel.inputs[1:])
    return (t.run("grad", (dy, kernel.inputs[0]), kernel.inputs[0].size), *more)


def _rows(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """The gradient of a table is its rows (IndexedSlices)."""
    return (view(t, dy),)


def _larger(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    a, b = kernel.inputs
    mask = t.run("compare", (a, b), dy.size.of(1))
    return tuple(_like(t, t.run("select", (mask, dy), dy.size), value) if value.trained else None for value in (a, b))


def _loop(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """A loop back that reads what each step kept: zeros for the sums of the weights' gradients are there from the start
    of the step, those for the list of the inputs' as soon as its length is known. Those that take the place of what was
    read of the list of gradients are none where the graph knows the batch: grappler computes them
    (list_ops.py: _TensorListSetItemGrad)."""
    x, *weights = kernel.inputs
    steps = None
    size = t.emptied.get(kernel.output.index)
    emptied = () if size is None else (late(t, t.run("random", (), size), kernel.output),)
    if x.trained:
        zeros = late(t, t.run("random", (), x.size), x)
        steps = t.run("loop_grad", (zeros, dy, kernel.output, *emptied), x.size, reuse=True)
    sums = [t.run("random", (), value.size) if value.trained else None for value in weights]
    grads = [t.run("loop_grad", (dy, kernel.output, x, total, *emptied), total.size) if total is not None else None
             for total in sums]
    return copy(t, steps) if steps is not None else None, *grads


def _states(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """As a list of steps."""
    return (copy(t, dy),)


def _unknown(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return tuple(t.run("copy", (dy,), value.size) if value.trained else None for value in kernel.inputs)


def _aside(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """The loss is an output of its own: it waits for the kernel and does not hold the gradient that it made."""
    kernel.after, kernel.inputs = kernel.inputs[0], ()
    return (dy,)


def _entropy(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """The forward kernel made the gradient: its output here."""
    return (t.run("mul", (kernel.output, dy), kernel.output.size, reuse=True),)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(UNARY, _unary), **ACTIVATED, **PENALTIES, **AGAIN,
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "square": _square,
    "power": _power,
    "square_error": _square_error, "sqdiff": _sqdiff, "contract": _contract, "convolve": _convolve, "bias": _bias,
    **dict.fromkeys(("copy", "pad", "spaced", "transposed", "folded"), _copy),
    "spread": _spread, "view": _view, "cast": _cast, "sum": _sum, "mean": _mean, "max": _greatest,
    "max_pool": _pool, "sample_pool": _pool, "average_pool": _average, "concat": _concat, "select": _select,
    "choose": _choose,
    **dict.fromkeys(("kept", "resized"), _kept), "rows": _rows, "entropy": _entropy, "larger": _larger, "loop": _loop,
    "states": _states, "scaled_softmax": _through, "add_n": _add, "aside": _aside, "unknown": _unknown,
}
