"""By which names grappler sorts the operations of a step: whether those of the way forward come first."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import InstanceV

BACKWARD = "gradient_tape"
"""The scope of what a tape computes (tensorflow/python/eager/backprop.py)."""


def comes_first(first: Any, *others: Any) -> bool:
    """Whether the operations of the first of a step's models, which begin with its name, come before those of its
    gradients: "functional" does, "sequential" does not."""
    held = plain(first)
    if isinstance(held, InstanceV):
        held = held.extra
    return not isinstance(held, LayerV | ModelV) or held.name < BACKWARD
