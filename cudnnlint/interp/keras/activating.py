"""Layers that are the activation of another layer: they are called with what that layer gives."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.convert import wrap
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import InstanceV
from cudnnlint.ops.protocol import Weight
from cudnnlint.values import Step, Tensor, Unknown

OF_WHAT_THEY_GIVE = frozenset(f"keras.layers.{name}" for name in (
    "Dense", "Conv1D", "Conv2D", "Conv3D", "Convolution2D", "SeparableConv1D", "SeparableConv2D", "DepthwiseConv2D",
    "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "LocallyConnected1D", "LocallyConnected2D"))
"""Layers that end with their activation. Keras 3 asks them for the shape alone while they are applied to its own
symbolic tensors (keras/src/layers/layer.py: Layer.compute_output_spec), and calls them once data come, or where call()
of another layer is under way: an activation with weights has none until then."""


def activated(m: Machine, layer: LayerV, outcome: Any, weights: Any, about: tuple[Tensor, ...], node: Any) -> Any:
    """Apply the layer that is the activation; the weights with its own."""
    held = plain(layer.arguments.get("activation"))
    if not isinstance(held, LayerV | InstanceV) or layer.path not in OF_WHAT_THEY_GIVE \
            or not isinstance(outcome, Tensor):
        return weights
    kind = "keras" if any(tensor.kind == "keras" for tensor in about) else "tf"
    m.call(held, [wrap(outcome.with_(kind=kind, step=Step(m.span(node), about)))], {}, node)
    return _with(layer, weights, held, late=m.stack.keras >= (3,) and kind == "keras")


def _with(layer: LayerV, weights: Any, held: LayerV | InstanceV, *, late: bool) -> tuple[Weight, ...] | Unknown:
    """`late`: those of the activation come with the first data."""
    from cudnnlint.interp.keras.parts import UNCALLED, layer_of, weights_of

    more = weights_of(held)
    if not isinstance(weights, tuple) or not isinstance(more, tuple):
        return weights if more == () else Unknown("weights of its activation")
    applied = layer_of(held)
    if more and applied is not None and len(applied.calls) > 1:
        return Unknown("an activation with weights that others share")
    if late and more:
        layer.extra[UNCALLED] = more
        return weights
    return (*weights, *more)
