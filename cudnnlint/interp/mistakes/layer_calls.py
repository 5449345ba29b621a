"""What the layers of Keras do not take where they are called: `Dense(8)(x, activation="relu")`, `Flatten()(x, y)`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from cudnnlint.interp.binding import STAR
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import LAYERS
from cudnnlint.values import Mismatch, Problem
from cudnnlint.values.unknown import Unset

if TYPE_CHECKING:
    from cudnnlint.interp.keras.layers import LayerV

OF_EACH_RANK = ("AveragePooling", "Conv", "Cropping", "GlobalAveragePooling", "GlobalMaxPooling", "MaxPooling",
                "UpSampling", "ZeroPadding")
ALONE = frozenset({
    *(f"{kind}{rank}D" for kind in OF_EACH_RANK for rank in (1, 2, 3)),
    *(f"Conv{rank}DTranspose" for rank in (1, 2, 3)),
    "Activation", "DepthwiseConv2D", "ELU", "Embedding", "Flatten", "LayerNormalization", "LeakyReLU", "Masking",
    "PReLU", "Permute", "ReLU", "RepeatVector", "Rescaling", "Reshape", "SeparableConv1D", "SeparableConv2D",
    "UnitNormalization"}) - {"GlobalAveragePooling1D"}
"""Layers whose call() takes its input and no more, of Keras 3 and of Keras 2 (`inspect.signature(cls.call)`)."""
MERGING = frozenset({"Add", "Average", "Concatenate", "Maximum", "Minimum", "Multiply", "Subtract"})
TRAINING = frozenset({
    "AlphaDropout", "BatchNormalization", "Dense", "Dropout", "GaussianDropout", "GaussianNoise", "GroupNormalization",
    "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GlobalAveragePooling1D"})
"""Layers that take `training` or `mask` besides."""
TAKEN = frozenset({"inputs", "training", "mask", "scope"})
"""What the call of any layer is given by name: Keras takes some of them away; `scope` is of tf.compat.v1.layers."""
ERROR = ("TypeError \"got an unexpected keyword argument '{name}'\"",
         'TypeError "too many positional arguments" or "takes 2 positional arguments but {count} were given"')


def tell_of_layer_call(c: Call, layer: LayerV) -> None:
    """keras/src/layers/layer.py: CallSpec, which binds to call(); tf_keras/src/engine/base_layer.py: Layer.__call__."""
    name = layer.path.removeprefix("keras.layers.")
    if STAR in c.kwargs or not (name in ALONE or name in TRAINING or name in MERGING):
        return
    unknown = next((key for key, value in c.kwargs.items() if key not in TAKEN and type(value) is not Unset), None)
    if unknown is not None:
        _refuse(c, layer, Mismatch(
            Problem.INVALID_ARGUMENT, f"the call of {layer.display} is given {unknown}", argument=unknown,
            help=_advice(layer.path, name, unknown), error=ERROR[0].format(name=unknown)))
    elif len(c.args) > 1 and name in ALONE:
        _refuse(c, layer, Mismatch(
            Problem.INVALID_ARGUMENT, f"{layer.display} is called with {len(c.args)} arguments, and takes one",
            help="layers.Concatenate()([a, b]) or layers.Add()([a, b]) makes one of two tensors",
            error=ERROR[1].format(count=len(c.args) + 1)))


def _advice(path: str, name: str, unknown: str) -> str:
    if unknown in ("train", "is_training"):
        return "its name is training"
    if unknown in inspect.signature(LAYERS[path].builder).parameters or unknown in ("name", "dtype", "trainable"):
        return f"it is an argument of the constructor: {name}(..., {unknown}=...)(x)"
    return ""


def _refuse(c: Call, layer: LayerV, wrong: Mismatch) -> None:
    refuse(c.machine, c.span, wrong, what=layer.display, layer=layer.info())
