"""Layers of the packages that people add to Keras, as they were last released: keras_contrib and tensorflow_addons.

Both packages are archived. Where one is installed and can be read, its own code is followed instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from cudnnlint.ops.arith import is_known
from cudnnlint.ops.axes import positions
from cudnnlint.ops.elementwise import Elementwise
from cudnnlint.ops.layer_normalization import GroupNormalization
from cudnnlint.ops.pooling_global import AdaptivePooling
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, Unknown


@record(frozen=True, slots=True)
class InstanceNormalization(SingleInput):
    """Shape in, shape out; gamma and beta have the extent of `axis`, or 1 if it is None.

    keras_contrib/layers/normalization/instancenormalization.py: build
    """

    axis: Any = None
    center: Any = True
    scale: Any = True

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if is_known(self.axis) and self.axis == 0:
            yield Mismatch(Problem.AXIS, "axis is 0, the batch", argument="axis", help="axis=-1 is the channels",
                           error='ValueError "Axis cannot be zero"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        places = () if self.axis is None else positions(self.axis, x, "InstanceNormalization")
        return places if isinstance(places, Mismatch) else x.with_(dtype=call.policy.compute)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        places = () if self.axis is None else positions(self.axis, x, "InstanceNormalization")
        if not isinstance(places, tuple) or not isinstance(x.shape, tuple):
            return Unknown("axis")
        extent = x.shape[places[0]] if places else 1
        for switch in (self.center, self.scale):
            if isinstance(switch, Unknown):
                return switch
        return tuple(Weight(name, (extent,)) for name, wanted in (("gamma", self.scale), ("beta", self.center))
                     if wanted)


@layer("keras_contrib.layers.InstanceNormalization", "keras_contrib.layers.normalization.InstanceNormalization",
       "keras_contrib.layers.normalization.instancenormalization.InstanceNormalization")
def contrib_instance_normalization(axis: Any = None, epsilon: Any = 1e-3, center: Any = True, scale: Any = True,
                                   beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
                                   beta_regularizer: Any = None, gamma_regularizer: Any = None,
                                   beta_constraint: Any = None, gamma_constraint: Any = None) -> InstanceNormalization:
    return InstanceNormalization(axis, center, scale)


@layer("keras_contrib.layers.GroupNormalization", "keras_contrib.layers.normalization.GroupNormalization",
       "keras_contrib.layers.normalization.groupnormalization.GroupNormalization",
       "tensorflow_addons.layers.GroupNormalization", "tensorflow_addons.layers.normalizations.GroupNormalization")
def group_normalization(groups: Any = 32, axis: Any = -1, epsilon: Any = 1e-3, center: Any = True, scale: Any = True,
                        beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
                        beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
                        gamma_constraint: Any = None) -> GroupNormalization:
    return GroupNormalization(groups, axis, center, scale)


@layer("tensorflow_addons.layers.InstanceNormalization",
       "tensorflow_addons.layers.normalizations.InstanceNormalization")
def instance_normalization(*, groups: Any = -1, axis: Any = -1, epsilon: Any = 1e-3, center: Any = True,
                           scale: Any = True, beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
                           beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
                           gamma_constraint: Any = None) -> GroupNormalization:
    """`groups` is overwritten (tensorflow_addons/layers/normalizations.py: InstanceNormalization)."""
    return GroupNormalization(-1, axis, center, scale)


@record(frozen=True, slots=True)
class BinnedPooling(AdaptivePooling):
    """(N, H, W, C) -> (N, *output_size, C), each extent cut into as many equal parts
    (tensorflow_addons/layers/adaptive_pooling.py: call; tf.split refuses what does not divide)."""

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        out = AdaptivePooling.output(self, x, call)
        if not isinstance(out, Tensor) or not isinstance(out.shape, tuple) or not isinstance(x.shape, tuple):
            return out
        known = [(size, part) for size, part in zip(x.shape[1:], out.shape[1:], strict=True)
                 if isinstance(size, int) and isinstance(part, int)]
        return Unknown("parts that are not equal") if any(part < 1 or size % part for size, part in known) else out


@layer("tensorflow_addons.layers.AdaptiveAveragePooling2D",
       "tensorflow_addons.layers.adaptive_pooling.AdaptiveAveragePooling2D")
def adaptive_average_pooling(output_size: Any, data_format: Any = None) -> BinnedPooling:
    return BinnedPooling("AdaptiveAveragePooling2D", 2, output_size, data_format)


@layer("tensorflow_addons.layers.AdaptiveMaxPooling2D",
       "tensorflow_addons.layers.adaptive_pooling.AdaptiveMaxPooling2D")
def adaptive_max_pooling(output_size: Any, data_format: Any = None) -> BinnedPooling:
    return BinnedPooling("AdaptiveMaxPooling2D", 2, output_size, data_format)


@layer("tensorflow_addons.layers.GELU", "tensorflow_addons.layers.gelu.GELU")
def gelu(approximate: Any = True) -> Elementwise:
    return Elementwise()


@record(frozen=True, slots=True)
class WeightNormalization(SingleInput):
    """The wrapped layer's output; beside its weights one length for each column of the kernel, a flag, and where the
    first batch sets them a copy of the layer that is not trained.

    The kernel is the wrapper's own from then on: each call puts a normalised tensor in its place, which the wrapped
    layer does not track (tensorflow_addons/layers/wrappers.py: WeightNormalization.build, call).
    """

    wrapped: Any
    data_init: Any = True
    takes_over: ClassVar[tuple[str, ...]] = ("kernel",)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        done = call.apply(self.wrapped, x)
        return done if isinstance(done, Tensor | Mismatch | Unknown) else Unknown("not one tensor")

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        inner = call.weigh(self.wrapped, x)
        if not isinstance(inner, tuple):
            return inner if isinstance(inner, Unknown) else Unknown("nested weights")
        names = [weight.name for weight in inner]
        kernel = next((weight for weight in inner if weight.name == "kernel" and weight.shape), None)
        if kernel is None or "recurrent_kernel" in names or not isinstance(self.data_init, bool):
            return Unknown("which weight is the kernel")
        copied = tuple(Weight(weight.name, weight.shape, trainable=False) for weight in inner) if self.data_init else ()
        return (*inner, Weight("g", kernel.shape[-1:]), Weight("initialized", (), trainable=False), *copied)


@layer("tensorflow_addons.layers.WeightNormalization", "tensorflow_addons.layers.wrappers.WeightNormalization")
def weight_normalization(layer: Any, data_init: Any = True) -> WeightNormalization:
    return WeightNormalization(layer, data_init)
