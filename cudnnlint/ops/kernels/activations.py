"""Activations as the operations that they run (tensorflow/python/ops/nn_ops.py, keras/src/backend/tensorflow/nn.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cudnnlint.ops.kernels.maths import add, binary, copy, multiply, scale, shift, unary
from cudnnlint.ops.kernels.tape import NotSized, Tape, Value


def silu(t: Tape, x: Value) -> Value:
    """A function with a gradient of its own, which computes the sigmoid again."""
    return t.run("silu", (x, unary(t, "sigmoid", x)), x.size, reuse=True)


def gelu(t: Tape, x: Value) -> Value:
    """The approximation by tanh; grappler makes pow(x, 3) of a square and a product, and its gradient reads the square
    alone (tensorflow/core/grappler/optimizers/arithmetic_optimizer.cc: ConvertPowStage; math_grad.py: _PowGrad)."""
    square = t.run("square", (x,), x.size)
    square.trained = False
    cube = t.run("cube", (x, square), x.size, reuse=True)
    inner = unary(t, "tanh", scale(t, add(t, x, scale(t, cube))))
    return multiply(t, scale(t, x), shift(t, inner))


def gelu_exact(t: Tape, x: Value) -> Value:
    return multiply(t, scale(t, x), t.run("erfc", (scale(t, x),), x.size, reuse=True))


def hard_sigmoid(t: Tape, x: Value) -> Value:
    return scale(t, unary(t, "relu6", shift(t, x)))


def hard_silu(t: Tape, x: Value) -> Value:
    """Grappler moves the division of the gradient by six to x, which is divided on the way forward and kept
    (tensorflow/core/grappler/optimizers/constant_folding.cc: ConstantPushDown)."""
    return binary(t, "hard_silu", x, hard_sigmoid(t, x))


def mish(t: Tape, x: Value) -> Value:
    return multiply(t, x, unary(t, "tanh", unary(t, "softplus", x)))


def softmax(t: Tape, x: Value) -> Value:
    return t.run("softmax", (x,), x.size, reuse=True)


def log_softmax(t: Tape, x: Value) -> Value:
    return t.run("log_softmax", (x,), x.size, reuse=True)


def softmax_over(t: Tape, x: Value) -> Value:
    """Along an axis that is not the last: transposed there and back."""
    return copy(t, softmax(t, copy(t, x)))


def of(kind: str) -> Callable[[Tape, Value], Value]:
    return lambda t, x: unary(t, kind, x)


ACTIVATIONS: Mapping[str, Callable[[Tape, Value], Value]] = {
    "linear": lambda t, x: x, "relu": of("relu"), "relu6": of("relu6"), "elu": of("elu"), "selu": of("selu"),
    "sigmoid": of("sigmoid"), "tanh": of("tanh"), "softplus": of("softplus"), "softsign": of("softsign"),
    "leaky_relu": of("leaky_relu"), "exponential": of("exp"), "softmax": softmax, "log_softmax": log_softmax,
    "silu": silu, "swish": silu, "gelu": gelu_exact, "hard_sigmoid": hard_sigmoid, "hard_silu": hard_silu,
    "hard_swish": hard_silu, "mish": mish,
}


def activated(t: Tape, x: Value, activation: object) -> Value:
    """What `activation=` of a layer runs; a function of the library goes by the last part of its path. keras.ops.gelu
    approximates where it is not told (keras/src/ops/nn.py), other spellings do not."""
    if activation is None:
        return x
    path = activation if isinstance(activation, str) else getattr(activation, "path", None)
    name = path.rpartition(".")[2].lower() if isinstance(path, str) else ""
    if name not in ACTIVATIONS:
        raise NotSized("an activation that is not known")
    if name == "gelu" and isinstance(path, str) and path.startswith("keras.ops."):
        return gelu(t, x)
    return ACTIVATIONS[name](t, x)
