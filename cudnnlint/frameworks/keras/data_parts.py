"""What a train_step() is given, taken apart and put together: keras.utils.unpack_x_y_sample_weight() and its kin."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

ROOMS = ("keras.utils", "keras.engine.data_adapter", "keras.trainers.data_adapters.data_adapter_utils")


@FRAMEWORK.on(*(f"{room}.unpack_x_y_sample_weight" for room in ROOMS))
def unpack_x_y_sample_weight(c: Call) -> Any:
    """keras/src/trainers/data_adapters/data_adapter_utils.py; tf_keras/src/engine/data_adapter.py."""
    given = c.get(0, "data")
    data = plain(given)
    parts = tuple(data.items) if isinstance(data, ListV) and not data.unknown else data
    if isinstance(data, Unknown | ListV) and not isinstance(parts, tuple):
        return tuple(Unknown(f"{part} of what is trained on") for part in ("x", "y", "sample_weight"))
    if not isinstance(parts, tuple):
        return given, None, None
    if not 1 <= len(parts) <= 3:
        return Unknown(f"x, y and sample_weight of {len(parts)} parts")
    return assume((*parts, None, None)[:3], assumptions_of(given))


@FRAMEWORK.on(*(f"{room}.pack_x_y_sample_weight" for room in ROOMS))
def pack_x_y_sample_weight(c: Call) -> Any:
    x, y, weights = c.get(0, "x"), c.get(1, "y", None), c.get(2, "sample_weight", None)
    if any(isinstance(plain(part), Unknown) for part in (x, y, weights)):
        return Unknown("which of x, y and sample_weight there are")
    if y is None:
        return (x,) if isinstance(plain(x), ListV | tuple) else x
    return (x, y) if weights is None else (x, y, weights)
