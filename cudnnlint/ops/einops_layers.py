"""einops.layers.keras: the axes of a pattern moved, reduced or mixed with weights, as layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from cudnnlint.ops.functions.einops import rearranged, reduced
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Tensor, Unknown, is_floating

PLACES = ("einops.layers.keras", "einops.layers.tensorflow")


def moved(x: Tensor, call: LayerCall, pattern: Any, axes: Mapping[str, Any]) -> Outcome:
    """einops/layers/tensorflow.py: floats arrive in the compute dtype of a layer of Keras, all else as it is."""
    shape = rearranged(x, pattern, dict(axes))
    if isinstance(shape, Mismatch):
        return shape
    return x.with_(shape=shape, dtype=call.policy.compute if x.kind != "torch" and is_floating(x.dtype) else x.dtype)


class Moving(SingleInput):
    """Base of those that have no weights, whatever they are called on."""

    __slots__ = ()

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return ()


@record(frozen=True, slots=True)
class Rearrange(Moving):
    """The axes of a pattern such as "b (h p) w c -> b h (p w c)", moved, joined and taken apart."""

    pattern: Any
    axes: Mapping[str, Any] = field(default_factory=dict)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        return moved(x, call, self.pattern, self.axes)


@record(frozen=True, slots=True)
class Reduce(Moving):
    """The axes that the right side of a pattern does not have are reduced."""

    pattern: Any
    reduction: Any
    axes: Mapping[str, Any] = field(default_factory=dict)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        return reduced(moved(x, call, self.pattern, self.axes), self.reduction)


@record(frozen=True, slots=True)
class EinMix(SingleInput):
    """A product with weights of named axes, "b h w c -> b h w d" with weight_shape "c d"."""

    pattern: Any
    weight_shape: Any
    bias_shape: Any = None
    axes: Mapping[str, Any] = field(default_factory=dict)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        made = moved(x, call, self.pattern, self.axes)
        return made.with_(dtype=call.policy.compute) if isinstance(made, Tensor) else made

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        """One of `weight_shape`; the bias has 1 where it does not depend on an axis (einops/layers/_einmix.py)."""
        if not isinstance(self.weight_shape, str) or not isinstance(self.bias_shape, str | None) \
                or not isinstance(self.pattern, str) or "..." in self.pattern:
            return Unknown("axes of the weights")
        weight = Weight("weight", tuple(map(self._size, self.weight_shape.split())))
        if self.bias_shape is None:
            return (weight,)
        named = self.bias_shape.split()
        right = self.pattern.rpartition("->")[2].replace("(", " ").replace(")", " ").split()
        return (weight, Weight("bias", tuple(self._size(name) if name in named else 1 for name in right)))

    def _size(self, name: str) -> Dim:
        size = self.axes.get(name)
        return size if isinstance(size, int) and size > 0 else Unknown(f"axis {name}")


@layer(*(f"{place}.Rearrange" for place in (*PLACES, "torch.nn")))
def rearrange(pattern: Any, **axes_lengths: Any) -> Rearrange:
    return Rearrange(pattern, axes_lengths)


@layer(*(f"{place}.Reduce" for place in (*PLACES, "torch.nn")))
def reduce(pattern: Any, reduction: Any, **axes_lengths: Any) -> Reduce:
    return Reduce(pattern, reduction, axes_lengths)


@layer(*(f"{place}.EinMix" for place in PLACES))
def ein_mix(pattern: Any, weight_shape: Any, bias_shape: Any = None, **axes_lengths: Any) -> EinMix:
    return EinMix(pattern, weight_shape, bias_shape, axes_lengths)
