"""The layers that made tensors, as events tell of them."""

from __future__ import annotations

from cudnnlint.events.layers import LayerInfo
from cudnnlint.values import Tensor

PREFIX = "keras.layers."


def maker_of(tensor: Tensor) -> LayerInfo | None:
    """The layer that gave the tensor; None for inputs, functions and models."""
    step = tensor.step
    if step is None or type(step.maker) is str:  # a function, as most makers are
        return None
    info = getattr(step.maker, "info", None)
    told = info() if callable(info) else None
    return told if isinstance(told, LayerInfo) else None


def within(layer: LayerInfo) -> LayerInfo:
    """The layer that Bidirectional runs both ways; any other layer itself."""
    info = getattr(layer.arguments.get("layer"), "info", None) if layer.path == f"{PREFIX}Bidirectional" else None
    held = info() if callable(info) else None
    return held if isinstance(held, LayerInfo) else layer
