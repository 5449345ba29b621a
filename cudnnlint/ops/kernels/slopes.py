"""The gradients of activations, penalties and gradients: what they read of the way forward, and what they compute
again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cudnnlint.ops.kernels.maths import multiply, reduce, scale, subtract, unary
from cudnnlint.ops.kernels.tape import Kernel, Size, Tape, Value

Grads = tuple[Value | None, ...]
Rule = Callable[[Tape, Kernel, Value], Grads]


def late(t: Tape, made: Value, dy: Value) -> Value:
    """Not before the gradient is there (math_grad.py: ops.control_dependencies([grad]))."""
    t.kernels[made.made].after = dy
    return made


def twice(t: Tape, x: Value, dy: Value) -> Value:
    """By a constant that is made once the gradient is there."""
    return t.run("scale", (x, late(t, t.run("random", (), Size(1)), dy)), x.size, reuse=True)


def _ahead(kind: str) -> Rule:
    """What is multiplied by the gradient waits for nothing but the operand, and so is made on the way forward
    (nn_grad.py: _SoftplusGrad, math_grad.py: _AbsGrad)."""
    return lambda t, kernel, dy: (multiply(t, dy, unary(t, kind, kernel.inputs[0])),)


def _sign(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return (None,)


def _softmax(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """Where what goes in was scaled by a number, grappler scales the result ahead instead of the gradient, and keeps
    both (pushed.py)."""
    y = kernel.output
    return (_through_softmax(t, y, scale(t, y) if t.ahead and _is_scaled(t, kernel.inputs[0]) else y, dy),)


def _is_scaled(t: Tape, x: Value) -> bool:
    """With a number that is the same for all, be something added to it that is not trained."""
    while x.made >= 0 and x.trained:
        kernel = t.kernels[x.made]
        if kernel.kind == "scale":
            return True
        trained = [value for value in kernel.inputs if value.trained]
        if kernel.kind not in ("add", "shift", "view") or len(trained) != 1:
            return False
        x = trained[0]
    return False


def _through_softmax(t: Tape, y: Value, factor: Value, dy: Value) -> Value:
    """(dy - sum(dy * y)) * y; the sum has one element a row, which is not counted."""
    total = reduce(t, multiply(t, dy, y), Size(1))
    return multiply(t, subtract(t, dy, total), factor)


def _scaled(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """Softmax of scaled scores: grappler computes the product of result and scale ahead, and keeps both."""
    return _through_softmax(t, kernel.inputs[0], kernel.inputs[1], dy), None


def _log_softmax(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    powers = t.run("exp", (kernel.output,), dy.size)
    return (subtract(t, dy, multiply(t, powers, dy)),)


def _silu(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """dy * s * (1 + x * (1 - s)) with s = sigmoid(x), computed once dy is there (nn_impl.py: swish)."""
    x = kernel.inputs[0]
    s = late(t, t.run("sigmoid", (x,), x.size), dy)
    slope = multiply(t, s, unary(t, "shift", multiply(t, x, scale(t, s))))
    return multiply(t, dy, slope), None


def _cube(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    return multiply(t, scale(t, dy), kernel.inputs[1]), None


def _hard_silu(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    x, share = kernel.inputs
    return multiply(t, dy, share), multiply(t, dy, scale(t, x) if t.ahead else x)


def _erfc(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    powers = unary(t, "exp", unary(t, "neg", late(t, t.run("square", (kernel.inputs[0],), dy.size), dy)))
    return (multiply(t, dy, powers),)


def _sloped(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """The gradient of a gradient, which is linear in the one that it was given (its first operand)."""
    return (t.run("grad", (dy, *kernel.inputs[1:]), kernel.inputs[0].size, reuse=True),)


def _bent(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """The same, and by what the slope was computed from."""
    given, *more = kernel.inputs
    return (t.run("grad", (dy, *more), given.size), *(t.run("grad", (dy, given, one), one.size) for one in more))


def _broken_again(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """Zeros go back by what the slope was computed from (nn_grad.py: _ReluGradGrad, _LeakyReluGradGrad)."""
    given, x = kernel.inputs
    zeros = late(t, t.run("random", (), x.size), x) if x.trained else None
    return (t.run(kernel.kind, (dy, x), given.size, reuse=True) if given.trained else None), zeros


def _tanh_again(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """math_grad.py: _TanhGradGrad, grad * -2.0 * b * a."""
    given, y = kernel.inputs
    by_y = multiply(t, multiply(t, scale(t, dy), given), y) if y.trained else None
    return (t.run(kernel.kind, (dy, y), given.size, reuse=True) if given.trained else None), by_y


def _sigmoid_again(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """math_grad.py: _SigmoidGradGrad, gb - 2.0 * gb * a with gb = grad * b."""
    given, y = kernel.inputs
    product = multiply(t, dy, given) if y.trained else None
    by_y = subtract(t, product, multiply(t, scale(t, product), y)) if product is not None else None
    return (t.run(kernel.kind, (dy, y), given.size, reuse=True) if given.trained else None), by_y


def _pooled_back(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    *more, given = kernel.inputs
    return (*(None for _ in more), t.run("grad", (dy, *more), given.size))


def _absolute(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """The signs are there from the start, and as soon as the first values are what each sign is multiplied by: at the
    start, where L1L2 has the factors as constants."""
    x = kernel.inputs[0]
    factors = t.run("random", (), x.size)
    if not _also(t, x, "squared_penalty"):
        late(t, factors, (t.penalty("absolute_penalty") or kernel).inputs[1])
    return multiply(t, t.run("sign", (x,), x.size), factors), None


def _squared(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    x = kernel.inputs[0]
    double = late(t, t.run("scale", (x,), x.size), kernel.output)
    both = _also(t, x, "absolute_penalty")
    return multiply(t, double, t.run("random", (), x.size)) if both else double, None


def _normed(t: Tape, kernel: Kernel, dy: Value) -> Grads:
    """tf.nn.l2_loss: the variable by a constant, at the start of the step (tensorflow/python/ops/nn_grad.py:
    _L2LossGrad)."""
    return (t.run("scale", kernel.inputs, kernel.inputs[0].size),)


def _also(t: Tape, x: Value, kind: str) -> bool:
    return t.penalty(kind, x.index) is not None


ACTIVATED: Mapping[str, Rule] = {
    "softmax": _softmax, "log_softmax": _log_softmax, "scaled": _scaled, "silu": _silu, "hard_silu": _hard_silu,
    "erfc": _erfc, "cube": _cube, "softplus": _ahead("sigmoid"), "abs": _ahead("sign"), "sign": _sign,
}
PENALTIES: Mapping[str, Rule] = {"absolute_penalty": _absolute, "squared_penalty": _squared, "norm_penalty": _normed}
CURVED: Mapping[str, str] = {"tanh": "tanh_grad", "sigmoid": "sigmoid_grad"}
"""Activations whose gradient is a kernel that has a gradient by its result too."""
AGAIN: Mapping[str, Rule] = {"grad": _sloped, "bent": _bent, "pool_grad": _pooled_back, "tanh_grad": _tanh_again,
                             "sigmoid_grad": _sigmoid_again, "broken_grad": _broken_again}
