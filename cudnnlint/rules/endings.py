"""How a model's outputs end, and the loss that each of them goes into."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.events import LayerInfo, LossInfo, ModelView
from cudnnlint.values import Tensor

UNBOUNDED = frozenset({"linear", "relu", "tanh"})
WITH_ACTIVATION = frozenset(f"keras.layers.{name}" for name in (
    "Dense", "Conv1D", "Conv2D", "Conv3D", "Convolution2D", "Conv2DTranspose", "SeparableConv2D", "Activation"))
ALONE = {"keras.layers.Softmax": "softmax", "keras.layers.ReLU": "relu"}


def ending_of(layer: LayerInfo) -> str | None:
    """The name of the activation that the output comes from, or None."""
    if layer.path in ALONE:
        return ALONE[layer.path]
    value: Any = layer.arguments.get("activation", "") if layer.path in WITH_ACTIVATION else ""
    if value is None:
        return "linear"
    path = getattr(value, "path", None)
    if isinstance(path, str):
        value = path.rpartition(".")[2]
    return value if isinstance(value, str) and value in (*UNBOUNDED, "softmax", "sigmoid") else None


def pairs(model: ModelView) -> Iterator[tuple[Tensor, LossInfo]]:
    outputs, losses = model.outputs, model.losses
    if isinstance(outputs, list | tuple) and len(outputs) == 1:
        outputs = outputs[0]
    if isinstance(outputs, Tensor) and isinstance(losses, LossInfo):
        yield outputs, losses
    elif isinstance(outputs, list | tuple) and isinstance(losses, list | LossInfo):
        each = losses if isinstance(losses, list) else [losses] * len(outputs)
        for output, loss in zip(outputs, each, strict=False):
            if len(each) == len(outputs) and isinstance(output, Tensor) and isinstance(loss, LossInfo):
                yield output, loss
