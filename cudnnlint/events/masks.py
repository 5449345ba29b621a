"""The mask that arrives with a tensor when a model runs: which layer makes it, which hand it on, which lose it.

keras/src/layers/layer.py: Layer.__call__, Layer._set_mask_metadata; tf_keras/src/engine/base_layer.py:
Layer._set_mask_metadata. A layer that does not support masking gives a new tensor, which has none; what Keras finds
while it builds a model is less: in Keras 3 the masks that are made within a nested model show only when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.events.layers import LayerInfo
from cudnnlint.events.makers import PREFIX, maker_of, within
from cudnnlint.records import record
from cudnnlint.values import Stack, Step, Symbol, Tensor, Unknown

Found = Any
"""Mask, None where there is certainly none, or Unknown."""
DEEPEST = 200
"""Layers looked back at."""


@record(frozen=True, slots=True)
class Mask:
    """`maker` is the layer as users write it; `shape` that of the mask, one axis less than the features; `value` the
    number that it masks, Unknown where masks were put together."""

    maker: str
    shape: Any
    value: Any = Unknown("what is masked")


def _paths(*names: str) -> frozenset[str]:
    return frozenset(PREFIX + name for name in names)


KEEPING = _paths(
    "Dense", "Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "ThresholdedReLU", "Softmax", "Dropout",
    "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianNoise", "GaussianDropout", "AlphaDropout",
    "ActivityRegularization", "BatchNormalization", "LayerNormalization", "UnitNormalization", "GroupNormalization")
"""Those with supports_masking and compute_mask() as it is in Layer."""
KEEPING_SINCE_3 = _paths("Rescaling", "Normalization", "Identity")
LOSING = _paths(
    "Flatten", "Reshape", "Permute", "RepeatVector", "Conv1D", "Conv2D", "Conv3D", "SeparableConv1D", "SeparableConv2D",
    "DepthwiseConv1D", "DepthwiseConv2D", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "MaxPooling1D",
    "MaxPooling2D", "MaxPooling3D", "AveragePooling1D", "AveragePooling2D", "AveragePooling3D",
    "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalMaxPooling1D", "GlobalMaxPooling2D", "UpSampling1D",
    "UpSampling2D", "ZeroPadding1D", "ZeroPadding2D", "Cropping1D", "Cropping2D", "EinsumDense", "RMSNormalization",
    "Dot")
INPUTS = _paths("Input", "InputLayer")
MERGING = _paths("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum")
RECURRENT = _paths("LSTM", "GRU", "SimpleRNN", "RNN")
QUERIED = _paths("Attention", "AdditiveAttention", "MultiHeadAttention", "GroupQueryAttention")


def mask_of(tensor: Tensor, stack: Stack) -> Found:
    """The mask of a tensor, None or Unknown."""
    return _mask(tensor, stack, {}, 0)


def masked_by(tensor: Tensor, stack: Stack) -> str:
    """The layer that makes the mask which arrives with the tensor, "" if none does for certain."""
    found = mask_of(tensor, stack)
    return found.maker if isinstance(found, Mask) else ""


def _mask(tensor: Tensor, stack: Stack, known: dict[int, Found], depth: int) -> Found:
    key = id(tensor)
    if key not in known:
        known[key] = Unknown("a mask that depends on itself") if depth > DEEPEST else None
        if depth <= DEEPEST:
            known[key] = _made(tensor, stack, lambda parent: _mask(parent, stack, known, depth + 1))
    return known[key]


def _made(tensor: Tensor, stack: Stack, mask: Callable[[Tensor], Found]) -> Found:
    step = tensor.step
    if step is None or (isinstance(step.maker, str) and step.maker != "join"):
        return None  # data, and what functions give: a new tensor
    if step.maker == "join":
        return _of_one([mask(parent) for parent in step.parents])
    layer = maker_of(tensor)
    if not step.parents:
        return None if layer is None or layer.path in INPUTS else Unknown("inputs that are not known")
    if (supports := getattr(step.maker, "supports_masking", None)) is not None:
        return _inside_own(step, mask, supports(), tensor)
    if layer is None:
        return None if step.maker is None else Unknown("a layer that is not known")
    if not layer.path or layer.path in ("keras.Model", "keras.Sequential"):
        return _inside(step, mask)
    if step.arguments and "mask" in dict(step.arguments[1] or {}):
        return Unknown("a mask that is given")
    return _layer(layer, tensor, step, stack, [mask(parent) for parent in step.parents])


def _of_one(masks: list[Found]) -> Found:
    """Of one of several tensors, as paths that met have left it: where it is the same of all."""
    first = masks[0]
    alike = all(type(other) is type(first) and (first is None or other == first) for other in masks)
    return first if alike and not isinstance(first, Unknown) else Unknown("differs between paths")


def _inside(step: Step, mask: Callable[[Tensor], Found]) -> Found:
    """Of a model, or of a layer of the user's: the mask of what its last layer gives, which may be its input's."""
    before = [mask(parent) for parent in step.parents]
    unmasked = all(found is None for found in before)
    body: Any = getattr(step.maker, "outputs", None) if step.body is None and unmasked else step.body
    body = _at(body, step.index)
    found = mask(body) if isinstance(body, Tensor) else Unknown("a model that is not followed")
    if isinstance(found, Mask):
        return found
    return None if found is None and unmasked else Unknown("whether it supports masking")


def _inside_own(step: Step, mask: Callable[[Tensor], Found], supports: bool | None, tensor: Tensor) -> Found:
    """Of a layer of the user's: what its call() gives may have a mask; else compute_mask() is asked if it supports
    masking, which hands on that of the first argument unless the user says otherwise."""
    body = _at(step.body, step.index)
    found = mask(body) if isinstance(body, Tensor) else Unknown("a layer that is not followed")
    if isinstance(found, Mask) or supports is None:
        return found if isinstance(found, Mask) else Unknown("whether it supports masking")
    if isinstance(found, Unknown) or not supports:
        return found
    if step.mask is not None:
        told = _at(step.mask[0], step.index)
        return Mask(str(tensor), told.shape) if isinstance(told, Tensor) else None if told is None \
            else Unknown("what compute_mask() gives")
    first = step.arguments[0][0] if step.arguments and step.arguments[0] else None
    handed = dict(step.arguments[1] or {}).get("mask") if step.arguments else None
    if handed is not None or not isinstance(first, Tensor) or step.index:
        return Unknown("a mask that is given")
    return mask(first)


def _at(structure: Any, index: tuple[Any, ...]) -> Any:
    for key in index:
        held = isinstance(structure, list | tuple) and isinstance(key, int) and key < len(structure)
        structure = structure[key] if held or (isinstance(structure, dict) and key in structure) else None
    return structure


def _layer(layer: LayerInfo, tensor: Tensor, step: Step, stack: Stack, masks: list[Found]) -> Found:
    path, modern = layer.path, stack.keras >= (3,)
    first = masks[0]
    if path == f"{PREFIX}Masking":
        return Mask("Masking", tensor.shape[:-1] if isinstance(tensor.shape, tuple) else tensor.shape,
                    layer.arguments.get("mask_value", 0.0))
    if path == f"{PREFIX}Embedding":
        zero = layer.arguments.get("mask_zero")
        if not isinstance(zero, bool):
            return Unknown("mask_zero")
        return Mask("Embedding(mask_zero=True)", step.parents[0].shape, 0) if zero else None
    if path in KEEPING or (modern and path in KEEPING_SINCE_3):
        return first
    if path in LOSING or path in KEEPING_SINCE_3:
        return None
    if path in RECURRENT or path == f"{PREFIX}Bidirectional":
        return _recurrent(layer, step, first)
    if path in MERGING:
        return _merged(masks, modern)
    if path == f"{PREFIX}Concatenate":
        return _concatenated(layer, step, masks)
    if path in QUERIED:
        return first if step.arguments and step.arguments[0] else Unknown("which input is the query")
    if path == f"{PREFIX}TimeDistributed" and (modern or step.parents[0].rank == 3):
        return first
    return Unknown(f"whether {layer.name} hands the mask on")


def _recurrent(layer: LayerInfo, step: Step, first: Found) -> Found:
    """Each step of a sequence keeps its mask; states have none (keras/src/layers/rnn/rnn.py: RNN.compute_mask)."""
    sequences = within(layer).arguments.get("return_sequences")
    if not isinstance(sequences, bool):
        return Unknown("return_sequences")
    both = layer.path == f"{PREFIX}Bidirectional" and layer.arguments.get("merge_mode", "concat") is None
    return first if sequences and (step.index or (0,))[0] in ((0, 1) if both else (0,)) else None


def _merged(masks: list[Found], modern: bool) -> Found:
    """All inputs must be masked in Keras 3, any in Keras 2 (keras/src/layers/merging/base_merge.py: compute_mask)."""
    present = [mask for mask in masks if isinstance(mask, Mask)]
    if modern:
        if None in masks:
            return None
        return present[0] if len(present) == len(masks) else Unknown("masks of what is merged")
    return present[0] if present else None if all(mask is None for mask in masks) else Unknown("masks")


def _concatenated(layer: LayerInfo, step: Step, masks: list[Found]) -> Found:
    """Inputs without a mask count as kept (keras/src/layers/merging/concatenate.py: Concatenate.compute_mask)."""
    present = [mask for mask in masks if isinstance(mask, Mask)]
    if not present:
        return None if all(mask is None for mask in masks) else Unknown("masks of what is concatenated")
    shape, axis, rank = present[0].shape, layer.arguments.get("axis", -1), step.parents[0].rank
    if not isinstance(shape, tuple) or not isinstance(axis, int) or rank is None:
        return Mask(present[0].maker, Unknown("shape of a mask"))
    axis %= rank
    if axis < len(shape):
        extents = [parent.shape[axis] if isinstance(parent.shape, tuple) else Unknown("rank")
                   for parent in step.parents]
        odd = next((dim for dim in extents if isinstance(dim, Symbol | Unknown)), None)
        shape = (*shape[:axis], sum(extents) if odd is None else odd, *shape[axis + 1:])
    return Mask(present[0].maker, shape)


__all__ = ["Mask", "mask_of", "masked_by"]
