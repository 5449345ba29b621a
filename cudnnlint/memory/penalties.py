"""What regularizers of weights add to a loss (keras/src/regularizers/regularizers.py: L1, L2, L1L2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.ops.kernels.maths import add
from cudnnlint.ops.kernels.tape import Size, Tape, Value

ABSOLUTE, SQUARED = "absolute_penalty", "squared_penalty"
Penalty = tuple[Value, str]


def penalties_of(arguments: Mapping[str, Any], made: Iterable[tuple[str, Value]]) -> list[Penalty]:
    """Of a layer's weights, by the argument that goes with the name of each: kernel_regularizer of a kernel."""
    found: list[Penalty] = []
    for name, value in made:
        leaf = name.rpartition("/")[2]
        given = arguments.get(f"{leaf}_regularizer", arguments.get(f"{leaf.removesuffix('_kernel')}_regularizer"))
        found += [(value, kind) for kind in _kinds(plain(given)) if value.trained]
    return found


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


def penalized(t: Tape, loss: Value, penalties: Iterable[Penalty]) -> Value:
    """The loss and the penalties: each reads all of a variable, and waits for nothing."""
    for value, kind in penalties:
        inner = t.run("square" if kind == SQUARED else "abs", (value,), value.size)
        inner.trained = False
        loss = add(t, loss, t.run(kind, (value, inner), Size(1)))
    return loss
