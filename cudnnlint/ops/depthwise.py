"""Convolutions a channel at a time: DepthwiseConv1D/2D, SeparableConv1D/2D."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arguments import (
    check_data_format,
    check_extents,
    check_padding,
    check_positive,
    largest,
    padded_by_sides,
    show,
)
from cudnnlint.ops.arith import as_dim, lift, rank_mismatch, spread
from cudnnlint.ops.conv import check_dilation
from cudnnlint.ops.kernels.activations import activated
from cudnnlint.ops.kernels.dilated import convolved
from cudnnlint.ops.kernels.maths import convolve
from cudnnlint.ops.kernels.site import Site, biased
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.kernels.unfolded import unfolds
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.ops.windows import Window, blank, each, refused_dtype, split, undefined_channels
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim
from cudnnlint.values.tensor import tensors

DILATION = Where(keras=">=2.12,<3.15")
"""Where strides and dilation_rate exclude each other (base_depthwise_conv.py; lifted in Keras 3.15)."""


@record(frozen=True, slots=True)
class Depthwise(SingleInput):
    """(N, *spatial, C) -> (N, *windowed, C * depth_multiplier), or (..., filters) when separable.

    Weights: kernel (*kernel_size, C, depth_multiplier), if separable a pointwise kernel
    (*1, C * depth_multiplier, filters), bias (channels out,).
    keras/src/layers/convolutional/base_depthwise_conv.py, base_separable_conv.py
    """

    name: str
    window: Window
    depth_multiplier: Any = 1
    data_format: Any = None
    use_bias: Any = True
    separable: bool = False
    filters: Any = None

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        slide = self.window
        if self.separable:
            yield from check_positive("filters", self.filters, zero=Where(keras=">=2.9"))
        empty = Where() if self.separable else Where(keras=">=3")
        yield from check_positive("depth_multiplier", self.depth_multiplier, zero=empty)
        yield from check_extents("kernel_size", slide.extent, slide.rank)
        yield from check_extents("strides", slide.strides, slide.rank)
        yield from check_extents("dilation_rate", slide.dilation_rate, slide.rank)
        if self.separable and slide.rank == 1 and stack.keras < (3,):
            yield from check_padding(slide.padding, "valid", "same", "causal")
        else:
            yield from check_padding(slide.padding, "valid", "same")
        yield from check_data_format(self.data_format)
        yield from check_dilation(slide.strides, slide.dilation_rate, DILATION)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        rank = self.window.rank
        if wrong := rank_mismatch(x, rank + 2, self.name, declares_least=True) \
                or padded_by_sides(self.window.padding, call.stack, depthwise=True):
            return wrong
        at = split(x, rank, self.data_format)
        if isinstance(at, Unknown):
            return blank(x, rank, call.policy.compute)
        if wrong := undefined_channels(x, self.name, at.channel) or refused_dtype(x, call, self.name):
            return wrong
        after = self.window.over(at.spatial)
        out = x.with_(shape=at.shape(after, self.channels(at.channel)), dtype=call.policy.compute)
        return self.window.reject(at, after, out, call, (3, 14)) or self._unequal(out) or out

    def channels(self, incoming: Dim) -> Dim:
        """Channels that come out."""
        return as_dim(self.filters) if self.separable else lift(lambda c, m: c * m, incoming,
                                                               as_dim(self.depth_multiplier))

    def _unequal(self, out: Tensor) -> Mismatch | None:
        """tensorflow/core/kernels/depthwise_conv_op.cc takes equal strides only; oneDNN on a CPU takes any.

        With a dilation, Keras 3.15 convolves at stride 1 and drops rows (backend/tensorflow/nn.py).
        """
        strides = each(self.window.strides, self.window.rank)
        if largest(self.window.dilation_rate) > 1 or not all(isinstance(stride, int) for stride in strides):
            return None
        if len(set(strides)) == 1:
            return None
        return Mismatch(Problem.UNEQUAL_STRIDES, f"strides {show(self.window.strides)} differ between the axes",
                        help="use equal strides, or pool along the axis that needs more", argument="strides",
                        error='InvalidArgumentError "Current implementation only supports equal length strides in the '
                              'row and column dimensions."', otherwise=out)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        at = split(x, self.window.rank, self.data_format)
        kernel = spread(self.window.extent, self.window.rank)
        for unknown in (at, kernel, self.use_bias):
            if isinstance(unknown, Unknown):
                return unknown
        channel: Dim = at.channel  # type: ignore[union-attr]
        depthwise: Shape = (*kernel, channel, as_dim(self.depth_multiplier))  # type: ignore[misc]
        bias = (Weight("bias", (self.channels(channel),)),) if self.use_bias else ()
        if not self.separable:
            return (Weight("kernel", depthwise), *bias)
        inner = lift(lambda c, m: c * m, channel, as_dim(self.depth_multiplier))
        pointwise = (*(1,) * self.window.rank, inner, as_dim(self.filters))
        return (Weight("depthwise_kernel", depthwise), Weight("pointwise_kernel", pointwise), *bias)

    def lower(self, at: Site) -> Value:
        """A separable convolution keeps what is between its two."""
        t = at.tape
        if self.separable:
            deep = at.widened(at.weights["pointwise_kernel"])
            made = convolve(t, convolved(at, at.x, at.weight("depthwise_kernel"), self.window, deep),
                            at.weight("pointwise_kernel"), at.size())
            out = split(tensors(at.outputs)[0], self.window.rank, self.data_format)
            if not isinstance(out, Unknown):
                unfolds(t, made, out.spatial, out.channel, at.weight("pointwise_kernel").size.fixed)
        else:
            made = convolved(at, at.x, at.weight("kernel"), self.window, at.size())
        return activated(t, biased(at, made), at.given("activation"))


HIDDEN = dict.fromkeys(("groups", "kernel_initializer", "kernel_regularizer", "kernel_constraint"), "<3")
"""Keras 2 takes these for its base class Conv, and ignores them (base_depthwise_conv.py: **kwargs)."""


@layer("keras.layers.DepthwiseConv1D", versions=HIDDEN)
def depthwise_conv1d(kernel_size: Any, strides: Any = 1, padding: Any = "valid", depth_multiplier: Any = 1,
                     data_format: Any = None, dilation_rate: Any = 1, activation: Any = None, use_bias: Any = True,
                     depthwise_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
                     depthwise_regularizer: Any = None, bias_regularizer: Any = None,
                     activity_regularizer: Any = None, depthwise_constraint: Any = None,
                     bias_constraint: Any = None,
                     *, groups: Any = 1, kernel_initializer: Any = None, kernel_regularizer: Any = None,
                     kernel_constraint: Any = None) -> Depthwise:
    window = Window(1, kernel_size, strides, padding, dilation_rate)
    return Depthwise("DepthwiseConv1D", window, depth_multiplier, data_format, use_bias)


@layer("keras.layers.DepthwiseConv2D", versions=HIDDEN)
def depthwise_conv2d(kernel_size: Any, strides: Any = (1, 1), padding: Any = "valid", depth_multiplier: Any = 1,
                     data_format: Any = None, dilation_rate: Any = (1, 1), activation: Any = None,
                     use_bias: Any = True, depthwise_initializer: Any = "glorot_uniform",
                     bias_initializer: Any = "zeros", depthwise_regularizer: Any = None,
                     bias_regularizer: Any = None, activity_regularizer: Any = None, depthwise_constraint: Any = None,
                     bias_constraint: Any = None,
                     *, groups: Any = 1, kernel_initializer: Any = None, kernel_regularizer: Any = None,
                     kernel_constraint: Any = None) -> Depthwise:
    window = Window(2, kernel_size, strides, padding, dilation_rate)
    return Depthwise("DepthwiseConv2D", window, depth_multiplier, data_format, use_bias)


@layer("keras.layers.SeparableConv1D", "keras.layers.SeparableConvolution1D", versions=HIDDEN)
def separable_conv1d(filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
                     dilation_rate: Any = 1, depth_multiplier: Any = 1, activation: Any = None, use_bias: Any = True,
                     depthwise_initializer: Any = "glorot_uniform", pointwise_initializer: Any = "glorot_uniform",
                     bias_initializer: Any = "zeros", depthwise_regularizer: Any = None,
                     pointwise_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
                     depthwise_constraint: Any = None, pointwise_constraint: Any = None,
                     bias_constraint: Any = None,
                     *, groups: Any = 1, kernel_initializer: Any = None, kernel_regularizer: Any = None,
                     kernel_constraint: Any = None) -> Depthwise:
    window = Window(1, kernel_size, strides, padding, dilation_rate)
    return Depthwise("SeparableConv1D", window, depth_multiplier, data_format, use_bias, True, filters)


@layer("keras.layers.SeparableConv2D", "keras.layers.SeparableConvolution2D", versions=HIDDEN)
def separable_conv2d(filters: Any, kernel_size: Any, strides: Any = (1, 1), padding: Any = "valid",
                     data_format: Any = None, dilation_rate: Any = (1, 1), depth_multiplier: Any = 1,
                     activation: Any = None, use_bias: Any = True, depthwise_initializer: Any = "glorot_uniform",
                     pointwise_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
                     depthwise_regularizer: Any = None, pointwise_regularizer: Any = None,
                     bias_regularizer: Any = None, activity_regularizer: Any = None, depthwise_constraint: Any = None,
                     pointwise_constraint: Any = None, bias_constraint: Any = None,
                     *, groups: Any = 1, kernel_initializer: Any = None, kernel_regularizer: Any = None,
                     kernel_constraint: Any = None) -> Depthwise:
    window = Window(2, kernel_size, strides, padding, dilation_rate)
    return Depthwise("SeparableConv2D", window, depth_multiplier, data_format, use_bias, True, filters)
