"""What made a tensor: the layers that rules look back at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from cudnnlint.events import LayerInfo, tensors
from cudnnlint.events.makers import PREFIX, maker_of, within
from cudnnlint.records import record
from cudnnlint.values import Stack, Tensor
from cudnnlint.values.origins import PREDICTED

CONVOLUTIONS = frozenset(PREFIX + name for name in (
    "Conv2D", "Conv3D", "Convolution2D", "Convolution3D", "DepthwiseConv2D", "SeparableConv2D",
    "SeparableConvolution2D", "Conv2DTranspose", "Conv3DTranspose", "Convolution2DTranspose",
    "Convolution3DTranspose"))
ELEMENTWISE = frozenset(PREFIX + name for name in (
    "Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax", "ThresholdedReLU", "BatchNormalization", "Dropout",
    "SpatialDropout2D", "SpatialDropout3D", "GaussianNoise", "GaussianDropout", "AlphaDropout", "GroupNormalization",
    "LayerNormalization", "ActivityRegularization", "Rescaling", "Add", "Subtract", "Multiply", "Average", "Maximum",
    "Minimum", "Concatenate"))
ON_CUDNN = frozenset(PREFIX + name for name in ("LSTM", "GRU", "CuDNNLSTM", "CuDNNGRU"))
"""Recurrent layers that cuDNN has kernels for."""
RESIZING = frozenset(PREFIX + name for name in (
    "MaxPooling2D", "MaxPooling3D", "AveragePooling2D", "AveragePooling3D", "MaxPool2D", "MaxPool3D", "AvgPool2D",
    "AvgPool3D", "UpSampling2D", "UpSampling3D", "ZeroPadding2D", "ZeroPadding3D", "Cropping2D", "Cropping3D"))
ALONG_STEPS = frozenset(PREFIX + name for name in (
    "Conv1D", "Convolution1D", "SeparableConv1D", "SeparableConvolution1D", "DepthwiseConv1D", "Conv1DTranspose",
    "Convolution1DTranspose"))
"""Convolutions of sequences."""
IN_PLACE = ELEMENTWISE | RESIZING | frozenset(PREFIX + name for name in (
    "SpatialDropout1D", "MaxPooling1D", "AveragePooling1D", "MaxPool1D", "AvgPool1D", "UpSampling1D", "ZeroPadding1D",
    "Cropping1D"))
"""Layers that keep the axes in place."""
LONGEST = 64
"""Layers looked back at."""


@record(frozen=True, slots=True)
class Layout:
    """Where the channels of a tensor are, and the convolution that put them there."""

    first: bool
    layer: LayerInfo


def chain(tensor: Tensor) -> Iterator[tuple[Tensor, LayerInfo | None]]:
    """The tensor and those before it, by the first input of each layer, with what made them."""
    for _ in range(LONGEST):
        yield tensor, maker_of(tensor)
        if tensor.step is None or not tensor.step.parents:
            return
        tensor = tensor.step.parents[0]


def layout_of(tensor: Tensor) -> Layout | None:
    """As the nearest convolution left it, through layers that keep the axes in place; None when not known."""
    for made, layer in chain(tensor):
        if layer is None or made.rank != tensor.rank:
            return None
        if layer.path in CONVOLUTIONS or layer.path in ALONG_STEPS:
            first = is_first(layer)
            return None if first is None else Layout(first, layer)
        if layer.path not in IN_PLACE:
            return None
    return None


def is_first(layer: LayerInfo) -> bool | None:
    """Whether a layer takes its channels first; None when not known."""
    value = layer.arguments.get("data_format")
    if value is None:
        return False
    return value.lower() == "channels_first" if isinstance(value, str) else None


def spelled(first: bool) -> str:
    return "channels_first" if first else "channels_last"


Applied = tuple[LayerInfo, tuple[Tensor, ...], Tensor]
"""A layer, its inputs and its output."""


class _Same:
    """A structure compared by identity: tensors of one shape are equal, but do not come from the same layers."""

    __slots__ = ("structure",)

    def __init__(self, structure: object) -> None:
        self.structure = structure

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.structure is self.structure

    def __hash__(self) -> int:
        return id(self.structure)


def behind(structure: object) -> tuple[Applied, ...]:
    """Every layer that the tensors came through, those of nested models included; several rules ask in turn."""
    return _behind(_Same(structure))


@lru_cache(maxsize=2)
def _behind(same: _Same) -> tuple[Applied, ...]:
    return tuple(_look_behind(same.structure))


def _look_behind(structure: object) -> Iterator[Applied]:
    seen: set[int] = set()
    todo = list(tensors(structure))
    while todo:
        made = todo.pop()
        step = made.step
        if step is None or id(step) in seen:
            continue
        seen.add(id(step))
        if (layer := maker_of(made)) is not None:
            yield layer, step.parents, made
        todo += [*step.parents, *tensors(getattr(step.maker, "outputs", None)), *tensors(step.body)]


def is_layer(maker: object) -> bool:
    """A layer or model, or an object of a class of the user's that derives from one."""
    return callable(getattr(maker, "info", None)) or getattr(maker, "extra", None) is not None


def is_scored(tensor: Tensor) -> bool:
    """Whether a model gave it, or what it alone was computed from."""
    for _ in range(LONGEST):
        step = tensor.step
        if step is None or step.maker == PREDICTED or is_layer(step.maker) or len(step.parents) != 1:
            return step is not None and (step.maker == PREDICTED or is_layer(step.maker))
        tensor = step.parents[0]
    return False


MODELS = frozenset({"keras.Model", "keras.Sequential"})


def graph_of(output: object) -> object:
    """The symbolic outputs of the functional or sequential model that gave a tensor; None for other tensors."""
    found = tensors(output)
    step = found[0].step if found else None
    return None if step is None else getattr(step.maker, "outputs", None)


def runs_on_cudnn(layer: LayerInfo, stack: Stack) -> bool:
    """An LSTM or GRU whose arguments let a GPU run it through cuDNN."""
    fused = getattr(within(layer).op, "fused", None)
    return callable(fused) and fused(stack) is True


__all__ = ["CONVOLUTIONS", "ELEMENTWISE", "LONGEST", "MODELS", "ON_CUDNN", "PREFIX", "RESIZING", "Applied", "Layout",
           "behind", "chain", "graph_of", "is_first", "is_layer", "is_scored", "layout_of", "maker_of", "runs_on_cudnn",
           "spelled", "within"]
