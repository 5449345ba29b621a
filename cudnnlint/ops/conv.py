"""Convolutions: Conv1D, Conv2D, Conv3D, grouped, dilated, causal, either data_format."""

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
from cudnnlint.ops.arith import as_dim, is_known, lift, rank_mismatch, spread
from cudnnlint.ops.kernels.activations import activated
from cudnnlint.ops.kernels.dilated import convolved
from cudnnlint.ops.kernels.site import Site, biased
from cudnnlint.ops.kernels.swapped import swaps
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.kernels.unfolded import reads_both, unfolds
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.ops.windows import Window, blank, each, refused_dtype, split, undefined_channels
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim
from cudnnlint.values.tensor import tensors


def check_dilation(strides: Any, dilation_rate: Any, where: Where) -> Iterator[Mismatch]:
    """The largest stride and the largest dilation count, on whichever axis (base_conv.py: BaseConv.__init__)."""
    if largest(strides) > 1 and largest(dilation_rate) > 1:
        yield Mismatch(Problem.STRIDES_DILATION, f"strides {show(strides)} with dilation_rate {show(dilation_rate)}",
                       help="keep one of the two at 1", argument="dilation_rate", where=where,
                       error='ValueError "`strides > 1` not supported in conjunction with `dilation_rate > 1`"')


@record(frozen=True, slots=True)
class Conv(SingleInput):
    """(*N, *spatial, C) -> (*N, *windowed, filters); kernel (*kernel_size, C // groups, filters), bias (filters,).

    keras/src/layers/convolutional/base_conv.py; several batch axes only before Keras 3.
    """

    name: str
    window: Window
    filters: Any
    data_format: Any = None
    groups: Any = 1
    use_bias: Any = True
    lora_rank: Any = None

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        slide = self.window
        if self.filters is not None:  # which every constructor takes, for subclasses that build() weights of their own
            yield from check_positive("filters", self.filters, zero=Where(keras=">=2.9"))
        yield from check_extents("kernel_size", slide.extent, slide.rank)
        yield from check_extents("strides", slide.strides, slide.rank)
        yield from check_extents("dilation_rate", slide.dilation_rate, slide.rank)
        yield from check_padding(slide.padding, "valid", "same", *(("causal",) if slide.rank == 1 else ()))
        yield from check_data_format(self.data_format)
        yield from self._check_groups()
        yield from check_dilation(slide.strides, slide.dilation_rate, Where())

    def _check_groups(self) -> Iterator[Mismatch]:
        if not is_known(self.groups):
            return
        if self.groups <= 0:
            yield Mismatch(Problem.NON_POSITIVE, f"groups is {self.groups}", help="groups must be a positive integer",
                           error='ValueError "The number of groups must be a positive integer"', argument="groups",
                           where=Where(keras=">=3") if self.groups == 0 else Where())
        elif is_known(self.filters) and self.filters % self.groups:
            yield Mismatch(Problem.GROUPS, f"filters {self.filters} is not divisible by groups {self.groups}",
                           help="groups must divide both filters and the number of input channels", argument="groups",
                           error='ValueError "The number of filters must be evenly divisible by the number of groups"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        rank = self.window.rank
        one_batch = call.stack.keras >= (3,)
        if wrong := rank_mismatch(x, rank + 2, self.name, at_least=not one_batch, declares_least=True) \
                or padded_by_sides(self.window.padding, call.stack):
            return wrong
        if isinstance(x.shape, Unknown) and not one_batch:
            return x.with_(dtype=call.policy.compute)
        at = split(x, rank, self.data_format)
        if isinstance(at, Unknown):
            return blank(x, rank, call.policy.compute)
        if wrong := undefined_channels(x, self.name, at.channel) or self._indivisible(at.channel):
            return wrong
        if wrong := refused_dtype(x, call, self.name):
            return wrong
        after = self.window.over(at.spatial)
        out = x.with_(shape=at.shape(after, as_dim(self.filters)), dtype=call.policy.compute)
        return self.window.reject(at, after, out, call, (3, 14)) or out

    def _indivisible(self, channel: Dim) -> Mismatch | None:
        if not (isinstance(channel, int) and is_known(self.groups) and self.groups > 0 and channel % self.groups):
            return None
        return Mismatch(Problem.GROUPS, f"{channel} input channels are not divisible by groups {self.groups}",
                        help="groups must divide both filters and the number of input channels", argument="groups",
                        error='ValueError "The number of input channels must be evenly divisible by the number of '
                              'groups"')

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        at = split(x, self.window.rank, self.data_format)
        kernel = spread(self.window.extent, self.window.rank)
        for unknown in (at, kernel, self.use_bias, self.lora_rank):
            if isinstance(unknown, Unknown):
                return unknown
        groups = as_dim(self.groups or 1)
        channel = lift(lambda c, g: c // g, at.channel, groups) if groups != 0 else Unknown()  # type: ignore[union-attr]
        filters = as_dim(self.filters)
        return convolution_weights((*kernel, channel, filters), filters, self.use_bias,  # type: ignore[misc]
                                   self.lora_rank)

    def lower(self, at: Site) -> Value:
        x, shape = at.x, at.shape()
        if self.window.padding == "causal":
            shape = at.padded(self.window.extent, self.window.dilation_rate)
            x = at.tape.run("spaced", (x,), at.tape.size(shape, at.item))
        made = convolved(at, x, at.weight("kernel"), self.window, at.size(), shape,
                         dense=self.groups in (None, 1))
        out = split(tensors(at.outputs)[0], self.window.rank, self.data_format)
        if not isinstance(out, Unknown):
            unfolds(at.tape, made, out.spatial, out.channel, at.weight("kernel").size.fixed)
            reads_both(at.tape, made, each(self.window.extent, self.window.rank), out.spatial)
            given = split(at.tensors[0], self.window.rank, self.data_format)
            if not isinstance(given, Unknown) and self.groups in (None, 1):
                swaps(at.tape, made, at.weight("kernel"), self.window, given.spatial, out.spatial)
        return activated(at.tape, biased(at, made), at.given("activation"))


def convolution_weights(kernel: Shape, filters: Dim, use_bias: Any, lora_rank: Any = None) -> tuple[Weight, ...]:
    """Kernel, bias, and the two low-rank factors that freeze the kernel (base_conv.py: enable_lora)."""
    bias = (Weight("bias", (filters,)),) if use_bias else ()
    if not lora_rank:
        return (Weight("kernel", kernel), *bias)
    rank = as_dim(lora_rank)
    return (Weight("kernel", kernel, trainable=False), *bias, Weight("lora_kernel_a", (*kernel[:-1], rank)),
            Weight("lora_kernel_b", (rank, filters)))


LORA = {"lora_rank": ">=3.3", "lora_alpha": ">=3.10"}


@layer("keras.layers.Conv1D", "keras.layers.Convolution1D", versions=LORA)
def conv1d(filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
           dilation_rate: Any = 1, groups: Any = 1, activation: Any = None, use_bias: Any = True,
           kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
           bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
           bias_constraint: Any = None, *, lora_rank: Any = None, lora_alpha: Any = None) -> Conv:
    return _conv("Conv1D", 1, filters, kernel_size, strides, padding, data_format, dilation_rate, groups, use_bias,
                 lora_rank)


@layer("keras.layers.Conv2D", "keras.layers.Convolution2D", versions=LORA)
def conv2d(filters: Any, kernel_size: Any, strides: Any = (1, 1), padding: Any = "valid", data_format: Any = None,
           dilation_rate: Any = (1, 1), groups: Any = 1, activation: Any = None, use_bias: Any = True,
           kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
           bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
           bias_constraint: Any = None, *, lora_rank: Any = None, lora_alpha: Any = None) -> Conv:
    return _conv("Conv2D", 2, filters, kernel_size, strides, padding, data_format, dilation_rate, groups, use_bias,
                 lora_rank)


@layer("keras.layers.Conv3D", "keras.layers.Convolution3D", versions=LORA)
def conv3d(filters: Any, kernel_size: Any, strides: Any = (1, 1, 1), padding: Any = "valid", data_format: Any = None,
           dilation_rate: Any = (1, 1, 1), groups: Any = 1, activation: Any = None, use_bias: Any = True,
           kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
           bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
           bias_constraint: Any = None, *, lora_rank: Any = None, lora_alpha: Any = None) -> Conv:
    return _conv("Conv3D", 3, filters, kernel_size, strides, padding, data_format, dilation_rate, groups, use_bias,
                 lora_rank)


def _conv(name: str, rank: int, filters: Any, kernel_size: Any, strides: Any, padding: Any, data_format: Any,
          dilation_rate: Any, groups: Any, use_bias: Any, lora_rank: Any) -> Conv:
    window = Window(rank, kernel_size, strides, padding, dilation_rate)
    return Conv(name, window, filters, data_format, groups, use_bias, lora_rank)

