"""What the optimizers of Keras 2 run for a table of which some rows have gradients (tf_keras/src/optimizers/*.py:
update_step).

A variable of which rows were looked up, or added to in place, is copied where all of it is read, and changed in a copy
(tensorflow/core/kernels/training_op_helpers.h: EnsureSparseVariableAccess, PrepareToUpdateVariable;
resource_variable_ops.cc: ReadVariableOp, AssignVariableOp).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cudnnlint.ops.kernels.maths import divide, multiply, scale, shift, unary
from cudnnlint.ops.kernels.tape import TAKEN, Size, Tape, Value

NOTHING = Size(0, 0, 1)


def _read(t: Tape, size: Size, *after: Value) -> Value:
    return t.run("read", after, size)


def _changed(t: Tape, value: Value, size: Size) -> Value:
    """As a whole: the copy becomes the variable's memory."""
    return t.run(TAKEN, (t.run("changed", (value,), size),), NOTHING)


def _added(t: Tape, *given: Value) -> Value:
    """To some rows, in place."""
    return t.run("assign", given, NOTHING)


def _faded(t: Tape, size: Size) -> Value:
    """A slot by a factor, at the start of the step: all rows of it."""
    return _changed(t, scale(t, _read(t, size)), size)


def _squares(t: Tape, grad: Value) -> Value:
    return scale(t, t.run("square", (grad,), grad.size))


def momentum(t: Tape, grad: Value, size: Size) -> Value:
    added = _added(t, scale(t, grad), _faded(t, size))
    return _changed(t, _read(t, size, added), size)


def nesterov(t: Tape, grad: Value, size: Size) -> Value:
    change = scale(t, grad)
    added = _added(t, change, _faded(t, size))
    moved = _added(t, change)
    return _changed(t, scale(t, _read(t, size, added, moved)), size)


def adam(t: Tape, grad: Value, size: Size) -> Value:
    m, v = _faded(t, size), _faded(t, size)
    m, v = _added(t, scale(t, grad), m), _added(t, _squares(t, grad), v)
    top, bottom = scale(t, _read(t, size, m)), shift(t, unary(t, "sqrt", _read(t, size, v)))
    return _changed(t, divide(t, top, bottom), size)


def rmsprop(t: Tape, grad: Value, size: Size) -> Value:
    added = _added(t, _squares(t, grad), _faded(t, size))
    rows = t.run("gather", (shift(t, _read(t, size, added)),), grad.size)
    return _added(t, multiply(t, scale(t, grad), unary(t, "rsqrt", rows)))


def adagrad(t: Tape, grad: Value, size: Size) -> Value:
    rows = t.run("gather", (_added(t, _squares(t, grad)),), grad.size)
    return _added(t, divide(t, scale(t, grad), unary(t, "sqrt", shift(t, rows))))


TABLES: Mapping[str, Callable[[Tape, Value, Size], Value]] = {
    "momentum": momentum, "nesterov": nesterov, "adam": adam, "rmsprop": rmsprop, "adagrad": adagrad}
"""Name of an update (updates.UPDATES) -> what runs."""
