"""What regularizers of weights add to a loss (keras/src/regularizers/regularizers.py: L1, L2, L1L2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cudnnlint.events.training import PENALTY, VARIABLE
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV, ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.ops.kernels.maths import add, reduce, unary
from cudnnlint.ops.kernels.tape import Size, Tape, Value
from cudnnlint.values import Tensor

ABSOLUTE, SQUARED, NORM = "absolute_penalty", "squared_penalty", "norm_penalty"
NAMED: Mapping[str, str] = {"l2_loss": NORM, "abs": ABSOLUTE}
Penalty = tuple[Value, str]
FARTHEST = 64
"""Tensors that are looked back at from a number."""


def penalties_of(arguments: Mapping[str, Any], made: Iterable[tuple[str, Value]]) -> list[Penalty]:
    """Of a layer's weights, by the argument that goes with the name of each: kernel_regularizer of a kernel."""
    found: list[Penalty] = []
    for name, value in made:
        leaf = name.rpartition("/")[2]
        given = arguments.get(f"{leaf}_regularizer", arguments.get(f"{leaf.removesuffix('_kernel')}_regularizer"))
        found += [(value, kind) for kind in _kinds(plain(given)) if value.trained]
    return found


def activities_of(layer: LayerV) -> tuple[str, ...]:
    """How a layer's activity_regularizer computes of what the layer gives (keras/src/layers/layer.py: __call__)."""
    if layer.display == "ActivityRegularization":
        rates = {kind: strip(layer.arguments.get(name)) for name, kind in (("l1", ABSOLUTE), ("l2", SQUARED))}
        return tuple(kind for kind, rate in rates.items() if isinstance(rate, int | float) and rate)
    given = layer.arguments.get("activity_regularizer") or layer.base.get("activity_regularizer")
    return () if given is None else _kinds(plain(given))


def activity(t: Tape, given: Value, kind: str) -> Value:
    """What is added to the loss of what a layer gives."""
    return reduce(t, unary(t, "abs" if kind == ABSOLUTE else "square", given), Size(1))


def _kinds(given: Any) -> tuple[str, ...]:
    """One of the program's own counts as a sum of squares."""
    if given is None:
        return ()
    path = given if isinstance(given, str) else given.path if isinstance(given, ObjectV | External) else ""
    name = path.rpartition(".")[2].lower().replace("_", "")
    if name == "l1":
        return (ABSOLUTE,)
    if name != "l1l2":
        return (SQUARED,)
    rates = {key: strip(one) for key, one in getattr(given, "kwargs", {}).items()}
    return tuple(kind for key, kind in (("l1", ABSOLUTE), ("l2", SQUARED)) if rates.get(key, 1) != 0)


def of_variables(tensor: Tensor) -> tuple[list[Any], str] | None:
    """Whose variables a number is computed from, and how, if from nothing else: `tf.nn.l2_loss(v)` of each; PENALTY
    where the regularizers of their layers say how."""
    if tensor.shape != ():
        return None
    todo, owners, kind = [tensor], list[Any](), SQUARED
    for _ in range(FARTHEST):
        step = todo.pop().step
        if step is None or not isinstance(step.maker, str):
            return None
        if step.maker == PENALTY:
            kind = PENALTY
        if step.maker in (PENALTY, VARIABLE):
            of = step.arguments[0][0]
            owners += [owner for owner in getattr(of, "owners", of) if all(owner is not one for one in owners)]
        kind = NAMED.get(step.maker.rpartition(".")[2], kind) if kind != PENALTY else kind
        todo += step.parents
        if not todo:
            return (owners, kind) if owners else None
    return None


def penalized(t: Tape, loss: Value, penalties: Iterable[Penalty]) -> Value:
    """The loss and the penalties: each reads all of a variable, and waits for nothing."""
    for value, kind in penalties:
        read: tuple[Value, ...] = (value,)
        if kind != NORM:  # which one kernel computes
            inner = t.run("square" if kind == SQUARED else "abs", (value,), value.size)
            inner.trained = False
            read = (value, inner)
        loss = add(t, loss, t.run(kind, read, Size(1)))
    return loss
