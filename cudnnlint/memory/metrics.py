"""What compiled metrics compute of large outputs: the accuracy of classes, place by place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.events import LossInfo
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.memory.losses import ENTROPIES
from cudnnlint.ops.kernels.tape import Size, Tape, Value

ACCURACY = frozenset({"accuracy", "acc", "sparse_categorical_accuracy", "categorical_accuracy"})
OBJECTS = frozenset({"keras.metrics.SparseCategoricalAccuracy", "keras.metrics.CategoricalAccuracy"})


def measured(t: Tape, outputs: Sequence[Value], losses: Any, metrics: Any) -> None:
    """The largest of each row, once a zero with a sign is smaller than one without
    (keras/src/backend/tensorflow/numpy.py: argmax, signbit), of a single output."""
    if len(outputs) != 1 or not isinstance(losses, LossInfo) or losses.name not in ENTROPIES or not _asked(metrics):
        return
    y = outputs[0]
    zero = t.run("compare", (y,), y.size.of(1))
    sign = t.run("compare", (t.run("bits", (y,), y.size.of(4)),), y.size.of(1))
    chosen = t.run("select", (t.run("compare", (zero, sign), y.size.of(1), reuse=True), y), y.size, reuse=True)
    t.run("largest", (chosen,), Size(1))


def _asked(metrics: Any) -> bool:
    given = strip(plain(metrics))
    for each in given if isinstance(given, (list, tuple)) else (given,):
        one = plain(each)
        if one in ACCURACY if isinstance(one, str) else isinstance(one, ObjectV) and one.path in OBJECTS:
            return True
    return False
