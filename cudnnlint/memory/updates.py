"""What optimizers run for each variable, and the slots that they keep (keras/src/optimizers/*.py: update_step).

What reads nothing but variables runs at the start of the step and waits there for the gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cudnnlint.ops.kernels.maths import add, divide, multiply, scale, shift, subtract, unary
from cudnnlint.ops.kernels.tape import Size, Tape, Value

NOTHING = Size(0, 0, 1)
Update = Callable[[Tape, Value, Size], Value]


def _assigned(t: Tape, *given: Value) -> Value:
    """A variable changed; what reads it then waits for this."""
    return t.run("assign", given, NOTHING)


def _of_variable(t: Tape, size: Size, *after: Value) -> Value:
    """A product of a variable, once it is assigned and read again."""
    return t.run("scale", _read(t, after), size)


def _read(t: Tape, after: tuple[Value, ...]) -> tuple[Value, ...]:
    return (t.run("read", after, NOTHING),) if after else ()


def _square(t: Tape, x: Value) -> Value:
    return t.run("square", (x,), x.size, reuse=True)


def _whole(t: Tape, grad: Value, size: Size) -> Value:
    """The gradient of some rows of a table as one of all rows: adding to it makes it dense
    (keras/src/backend/tensorflow/sparse.py: elementwise_binary_union)."""
    same = (grad.size.fixed, grad.size.each) == (size.fixed, size.each)
    return grad if same else t.run("segment_sum", (grad,), size)


def sgd(t: Tape, grad: Value, size: Size) -> Value:
    return _assigned(t, scale(t, grad))


def momentum(t: Tape, grad: Value, size: Size) -> Value:
    waiting = _of_variable(t, size)
    return _assigned(t, _assigned(t, subtract(t, waiting, _whole(t, scale(t, grad), size))))


def adam(t: Tape, grad: Value, size: Size) -> Value:
    m = _assigned(t, scale(t, shift(t, _whole(t, grad, size))))
    v = _assigned(t, scale(t, shift(t, _whole(t, _square(t, grad), size))))
    return _ratio(t, m, v, size)


def _ratio(t: Tape, m: Value, v: Value, size: Size) -> Value:
    top, bottom = _of_variable(t, size, m), shift(t, t.run("sqrt", _read(t, (v,)), size))
    return _assigned(t, divide(t, top, bottom))


def amsgrad(t: Tape, grad: Value, size: Size) -> Value:
    m = _assigned(t, scale(t, shift(t, _whole(t, grad, size))))
    v = _assigned(t, scale(t, shift(t, _whole(t, _square(t, grad), size))))
    return _ratio(t, m, _assigned(t, _of_variable(t, size, v)), size)


def rmsprop(t: Tape, grad: Value, size: Size) -> Value:
    waiting = _of_variable(t, size)
    velocity = _assigned(t, add(t, waiting, _whole(t, scale(t, _square(t, grad)), size)))
    bottom = unary(t, "sqrt", _of_variable(t, size, velocity))
    return _assigned(t, divide(t, scale(t, grad), bottom))


def rmsprop_momentum(t: Tape, grad: Value, size: Size) -> Value:
    waiting, moved = _of_variable(t, size), _of_variable(t, size)
    velocity = _assigned(t, add(t, waiting, _whole(t, scale(t, _square(t, grad)), size)))
    bottom = unary(t, "sqrt", _of_variable(t, size, velocity))
    return _assigned(t, _assigned(t, add(t, moved, divide(t, scale(t, grad), bottom))))


def adagrad(t: Tape, grad: Value, size: Size) -> Value:
    done = _assigned(t, _whole(t, _square(t, grad), size))
    bottom = unary(t, "sqrt", _of_variable(t, size, done))
    return _assigned(t, divide(t, scale(t, grad), bottom))


def adadelta(t: Tape, grad: Value, size: Size) -> Value:
    waiting, old = _of_variable(t, size), _of_variable(t, size)
    squares = _assigned(t, add(t, waiting, _whole(t, scale(t, _square(t, grad)), size)))
    bottom = unary(t, "sqrt", _of_variable(t, size, squares))
    delta = divide(t, multiply(t, _of_variable(t, size), grad), bottom)
    moved = _assigned(t, add(t, old, scale(t, _square(t, delta))))
    return _assigned(t, delta, moved)


def adamax(t: Tape, grad: Value, size: Size) -> Value:
    waiting = _of_variable(t, size)
    m = _assigned(t, scale(t, shift(t, _whole(t, grad, size))))
    u = _assigned(t, add(t, waiting, _whole(t, scale(t, grad), size)))
    return _assigned(t, divide(t, _of_variable(t, size, m), scale(t, _of_variable(t, size, u))))


def nadam(t: Tape, grad: Value, size: Size) -> Value:
    m = _assigned(t, scale(t, shift(t, _whole(t, grad, size))))
    v = _assigned(t, scale(t, shift(t, _whole(t, _square(t, grad), size))))
    top = add(t, _of_variable(t, size, m), _whole(t, scale(t, scale(t, grad)), size))
    return _assigned(t, divide(t, top, shift(t, unary(t, "sqrt", _of_variable(t, size, v)))))


def lion(t: Tape, grad: Value, size: Size) -> Value:
    waiting, kept = _of_variable(t, size), _of_variable(t, size)
    done = _assigned(t, scale(t, unary(t, "scale", add(t, waiting, _whole(t, scale(t, grad), size)))))
    return _assigned(t, add(t, kept, _whole(t, scale(t, grad), size)), done)


def ftrl(t: Tape, grad: Value, size: Size) -> Value:
    power, shrunk = _of_variable(t, size), _of_variable(t, size)
    new = add(t, t.value(size), _whole(t, _square(t, grad), size))
    change = scale(t, scale(t, subtract(t, t.run("exp", (new,), size), power)))
    linear = _assigned(t, subtract(t, add(t, shrunk, _whole(t, grad, size)), change))
    clipped = shift(t, _of_variable(t, size, linear))
    done = _assigned(t, divide(t, clipped, shift(t, scale(t, t.run("exp", (new,), size)))))
    return _assigned(t, new, done)


def lamb(t: Tape, grad: Value, size: Size) -> Value:
    norm = t.run("norm", (_of_variable(t, size),), Size(1))
    m = _assigned(t, scale(t, shift(t, _whole(t, grad, size))))
    v = _assigned(t, scale(t, shift(t, _whole(t, _square(t, grad), size))))
    step = divide(t, _of_variable(t, size, m), shift(t, t.run("sqrt", _read(t, (v,)), size)))
    ratio = t.run("norm", (t.run("square", (step,), size), norm), Size(1))
    return _assigned(t, t.run("scale", (step, ratio), size, reuse=True))


def fused(t: Tape, grad: Value, size: Size) -> Value:
    """One kernel that changes all (Keras 2: ResourceApplyAdam and the like, or XLA)."""
    return _assigned(t, grad)


UPDATES: Mapping[str, tuple[Update, int]] = {
    "sgd": (sgd, 0), "momentum": (momentum, 1), "adam": (adam, 2), "amsgrad": (amsgrad, 3),
    "rmsprop": (rmsprop, 1), "rmsprop_momentum": (rmsprop_momentum, 2), "adagrad": (adagrad, 1),
    "adadelta": (adadelta, 2), "adamax": (adamax, 2), "nadam": (nadam, 2), "ftrl": (ftrl, 2), "lamb": (lamb, 2),
    "lion": (lion, 1), "fused": (fused, 0), "adafactor": (adagrad, 1), "muon": (momentum, 1),
}
"""Name -> (what runs, slots of the variable's size)."""


TURNING = frozenset({"sgd", "rmsprop", "momentum", "adagrad", "rmsprop_momentum"})
"""Optimizers with which the first layers run their gradients in the other order (step.TURNED)."""


SMALL = 2048
"""Elements of variables whose updates are counted as one kernel: vectors, of which most of a model's variables are."""


def scatters(name: str) -> bool:
    """Whether the rows of a table are changed in place, so that a step reads a copy of the table."""
    return name in ("sgd", "rmsprop", "adagrad")


def update(t: Tape, name: str, grad: Value, size: Size, *, averaged: bool = False) -> Value:
    """What the optimizer runs once a variable's gradient is there; `averaged`: and for a moving average of it."""
    if size.fixed <= SMALL:
        return fused(t, grad, size)
    waiting = _of_variable(t, size) if averaged else None
    done = UPDATES[name][0](t, grad, size)
    return _assigned(t, add(t, waiting, _of_variable(t, size, done))) if waiting is not None else done
