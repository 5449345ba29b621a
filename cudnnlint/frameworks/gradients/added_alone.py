"""The variables of a layer that has only what its own add_weight() made, in their order."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import sublayers
from cudnnlint.interp.keras.variables import own_variables
from cudnnlint.interp.objects import InstanceV
from cudnnlint.ops.protocol import Weight


def added_alone(owners: tuple[Any, ...]) -> tuple[Weight, ...] | None:
    """Those of one layer of the program's own, all of them trained; None where there may be others."""
    held = owners[0] if len(owners) == 1 else None
    layer = held.extra if isinstance(held, InstanceV) else None
    if held is None or not isinstance(layer, LayerV) or layer.op is not None or layer.model is not None \
            or held.unknown or "trainable" in held.items or any(map(sublayers, held.items.values())):
        return None
    made = list(own_variables(held, set()))
    known = len(made) == len(layer.added) and all(weight.trainable is True for weight in layer.added)
    return tuple(layer.added) if known else None
