"""What optimizers run for each variable, and the slots that they keep (keras/src/optimizers/*.py: update_step).

What reads nothing but variables runs at the start of the step and waits there for the gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cudnnlint.memory.scattered import TABLES
from cudnnlint.ops.kernels.maths import add, divide, multiply, scale, shift, subtract, unary
from cudnnlint.ops.kernels.tape import RESET, TAKEN, Size, Tape, Value

NOTHING = Size(0, 0, 1)
Update = Callable[[Tape, Value, Size], Value]


def _assigned(t: Tape, *given: Value) -> Value:
    """A variable changed; what reads it then waits for this."""
    return t.run("assign", given, NOTHING)


def _taken(t: Tape, value: Value) -> Value:
    """The value's memory becomes the variable's, whose former memory is freed (resource_variable_ops.cc:
    AssignVariableOp)."""
    return t.run(TAKEN, (value,), NOTHING)


def _of_variable(t: Tape, size: Size, *after: Value) -> Value:
    """A product of a variable, once it is assigned and read again."""
    return t.run("scale", _read(t, after), size)


def _read(t: Tape, after: tuple[Value, ...]) -> tuple[Value, ...]:
    return (t.run("read", after, NOTHING),) if after else ()


def _square(t: Tape, x: Value) -> Value:
    return t.run("square", (x,), x.size, reuse=True)


def _is_rows(grad: Value, size: Size) -> bool:
    return (grad.size.fixed, grad.size.each) != (size.fixed, size.each)


def _whole(t: Tape, grad: Value, size: Size) -> Value:
    """The gradient of some rows of a table as one of all rows: adding to it makes it dense
    (keras/src/backend/tensorflow/sparse.py: elementwise_binary_union)."""
    return t.run("segment_sum", (grad,), size) if _is_rows(grad, size) else grad


def sgd(t: Tape, grad: Value, size: Size) -> Value:
    return _assigned(t, scale(t, grad))


def momentum(t: Tape, grad: Value, size: Size) -> Value:
    waiting = _of_variable(t, size)
    return _assigned(t, _taken(t, subtract(t, waiting, _whole(t, scale(t, grad), size))))


def nesterov(t: Tape, grad: Value, size: Size) -> Value:
    waiting, change = _of_variable(t, size), _whole(t, scale(t, grad), size)
    moved = _of_variable(t, size, _taken(t, subtract(t, waiting, change)))
    return _assigned(t, subtract(t, moved, change))


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
    return _ratio(t, m, _taken(t, _of_variable(t, size, v)), size)


def _over(t: Tape, top: Value, bottom: Value) -> Value:
    """Rows of a table over all of them, which are searched for zeros and what is no number first
    (keras/src/backend/tensorflow/sparse.py: elementwise_division)."""
    if not _is_rows(top, bottom.size):
        return divide(t, top, bottom)
    marks = [t.run("compare", (bottom,), bottom.size.of(1)) for _ in range(2)]
    some = t.run("norm", (t.run("or", tuple(marks), bottom.size.of(1), reuse=True),), Size(1))
    return divide(t, top, t.run("gather", (bottom, some), top.size))


def rmsprop(t: Tape, grad: Value, size: Size) -> Value:
    return _assigned(t, _over(t, scale(t, grad), _root(t, grad, size)))


def _root(t: Tape, grad: Value, size: Size) -> Value:
    """Of a moving average of squares."""
    waiting = _of_variable(t, size)
    velocity = _taken(t, add(t, waiting, _whole(t, scale(t, _square(t, grad)), size)))
    return unary(t, "sqrt", _of_variable(t, size, velocity))


def centered(t: Tape, grad: Value, size: Size) -> Value:
    """The square of the average gradient is taken off the average square."""
    waiting, other = _of_variable(t, size), _of_variable(t, size)
    squares = _taken(t, add(t, waiting, _whole(t, scale(t, _square(t, grad)), size)))
    mean = _taken(t, add(t, other, _whole(t, scale(t, grad), size)))
    spread = t.run("square", _read(t, (mean,)), size)
    bottom = unary(t, "rsqrt", t.run("scale", (spread, *_read(t, (squares,))), size, reuse=True))
    return _assigned(t, multiply(t, scale(t, grad), bottom))


def rmsprop_momentum(t: Tape, grad: Value, size: Size) -> Value:
    moved = _of_variable(t, size)
    return _assigned(t, _taken(t, add(t, moved, divide(t, scale(t, grad), _root(t, grad, size)))))


def adagrad(t: Tape, grad: Value, size: Size) -> Value:
    done = _assigned(t, _square(t, grad))
    bottom = unary(t, "sqrt", _of_variable(t, size, done))
    return _assigned(t, _over(t, scale(t, grad), bottom))


def adadelta(t: Tape, grad: Value, size: Size) -> Value:
    waiting, old = _of_variable(t, size), _of_variable(t, size)
    squares = _taken(t, add(t, waiting, _whole(t, scale(t, _square(t, grad)), size)))
    bottom = unary(t, "sqrt", _of_variable(t, size, squares))
    delta = divide(t, multiply(t, _of_variable(t, size), grad), bottom)
    moved = _taken(t, add(t, old, scale(t, _square(t, delta))))
    return _assigned(t, delta, moved)


def adamax(t: Tape, grad: Value, size: Size) -> Value:
    waiting = _of_variable(t, size)
    m = _assigned(t, scale(t, shift(t, _whole(t, grad, size))))
    u = _taken(t, add(t, waiting, _whole(t, scale(t, grad), size)))
    return _assigned(t, divide(t, _of_variable(t, size, m), scale(t, _of_variable(t, size, u))))


def nadam(t: Tape, grad: Value, size: Size) -> Value:
    m = _assigned(t, scale(t, shift(t, _whole(t, grad, size))))
    v = _assigned(t, scale(t, shift(t, _whole(t, _square(t, grad), size))))
    top = add(t, scale(t, _of_variable(t, size, m)), _whole(t, scale(t, scale(t, grad)), size))
    return _assigned(t, divide(t, scale(t, top), shift(t, unary(t, "sqrt", _of_variable(t, size, v)))))


def lion(t: Tape, grad: Value, size: Size) -> Value:
    waiting, kept = _of_variable(t, size), _of_variable(t, size)
    sign = unary(t, "sign", add(t, waiting, _whole(t, scale(t, grad), size)))
    done = _assigned(t, scale(t, sign))
    _taken(t, add(t, kept, _whole(t, scale(t, grad), size)))
    return done


def ftrl(t: Tape, grad: Value, size: Size) -> Value:
    """A power of -0.5 becomes a square root, which is taken once."""
    power, shrunk = _of_variable(t, size), _of_variable(t, size)
    used = add(t, _whole(t, grad, size), shrunk)
    new = add(t, t.value(size), _whole(t, _square(t, grad), size))
    root = t.run("sqrt", (new,), size)
    _taken(t, new)
    linear = _assigned(t, subtract(t, used, scale(t, scale(t, subtract(t, root, power)))))
    top = t.run("clipped", _read(t, (linear,)), size)
    return _taken(t, divide(t, shift(t, top), shift(t, t.run("scale", (root,), size))))


def adafactor(t: Tape, grad: Value, size: Size) -> Value:
    """The squares are summed by rows and columns, and their product is kept (keras/src/optimizers/adafactor.py)."""
    norm = t.run("norm", (t.run("square", (), size),), Size(1))
    sums = t.run("norm", (shift(t, _whole(t, _square(t, grad), size)),), Size(1))
    root = t.run("rsqrt", _read(t, (_taken(t, t.run("scale", (sums,), size)),)), size)
    step = _over(t, grad, root) if _is_rows(grad, size) else multiply(t, root, grad)
    limit = t.run("norm", (t.run("square", (step,), size),), Size(1))
    return _assigned(t, t.run("scale", (step, limit, norm), size, reuse=True))


def lamb(t: Tape, grad: Value, size: Size) -> Value:
    norm = t.run("norm", (_of_variable(t, size),), Size(1))
    m = _assigned(t, scale(t, shift(t, _whole(t, grad, size))))
    v = _assigned(t, scale(t, shift(t, _whole(t, _square(t, grad), size))))
    step = divide(t, _of_variable(t, size, m), shift(t, unary(t, "sqrt", _of_variable(t, size, v))))
    ratio = t.run("norm", (t.run("square", (step,), size), norm), Size(1))
    return _assigned(t, t.run("scale", (step, ratio), size, reuse=True))


def fused(t: Tape, grad: Value, size: Size) -> Value:
    """One kernel that changes all (Keras 2: ResourceApplyAdam and the like, or XLA)."""
    return _assigned(t, grad)


UPDATES: Mapping[str, tuple[Update, int]] = {
    "sgd": (sgd, 0), "momentum": (momentum, 1), "adam": (adam, 2), "amsgrad": (amsgrad, 3),
    "rmsprop": (rmsprop, 1), "rmsprop_momentum": (rmsprop_momentum, 2), "adagrad": (adagrad, 1),
    "adadelta": (adadelta, 2), "adamax": (adamax, 2), "nadam": (nadam, 2), "ftrl": (ftrl, 2), "lamb": (lamb, 2),
    "lion": (lion, 1), "fused": (fused, 0), "adafactor": (adafactor, 1), "muon": (adam, 2),
    "nesterov": (nesterov, 1), "centered": (centered, 2),
}
"""Name -> (what runs, slots of the variable's size)."""


SMALL = 2048
"""Elements of variables whose updates are counted as one kernel: vectors, of which most of a model's variables are."""


def scatters(name: str) -> bool:
    """Whether the rows of a table are changed in place, so that a step reads a copy of the table."""
    return name in ("sgd", "rmsprop", "adagrad")


def update(t: Tape, name: str, grad: Value, size: Size, *, averaged: bool = False, summed: bool = False,
           again: bool = False, in_place: bool = False) -> Value:
    """What the optimizer runs once a variable's gradient is there; `averaged`: and for a moving average of it. `again`:
    where the step reads the variable afterwards, and waits for all of that. `in_place`: rows of a table are added where
    they stand (Keras 2).
    `summed`: where it is added to those of the steps before, of which the last is told: it runs all that the others do
    and the update too (keras/src/optimizers/base_optimizer.py: _backend_apply_gradients)."""
    if summed:
        whole = add(t, _whole(t, grad, size), t.value(size))
        t.run(RESET, (whole,), size.times(-1))
        grad = scale(t, whole)
    if size.fixed <= SMALL and not again:
        return fused(t, grad, size)
    waiting = _of_variable(t, size) if averaged else None
    run = TABLES.get(name) if in_place and _is_rows(grad, size) else None
    done = (run or UPDATES[name][0])(t, grad, size)
    return _taken(t, add(t, waiting, _of_variable(t, size, done))) if waiting is not None else done
