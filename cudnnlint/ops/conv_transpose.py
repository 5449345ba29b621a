"""Transposed convolutions: Conv1DTranspose, Conv2DTranspose, Conv3DTranspose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.ops.arguments import (
    check_data_format,
    check_extents,
    check_padding,
    check_positive,
    padded_by_sides,
    show,
)
from cudnnlint.ops.arith import as_dim, lift, rank_mismatch, spread
from cudnnlint.ops.conv import check_dilation, convolution_weights
from cudnnlint.ops.kernels.activations import activated
from cudnnlint.ops.kernels.maths import PACKED, convolve, shape_of, waiting
from cudnnlint.ops.kernels.site import Site, biased
from cudnnlint.ops.kernels.swapped import swaps
from cudnnlint.ops.kernels.tape import Size, Value
from cudnnlint.ops.kernels.unfolded import reads_both, unfolds
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.ops.windows import Window, blank, each, empty, gone, refused_dtype, split, undefined_channels
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim
from cudnnlint.values.tensor import tensors


def transposed(size: Dim, kernel: Dim, stride: Dim, padding: Any, output_padding: Dim | None, dilation: Dim = 1) -> Dim:
    """Extent after a transposed window (keras/src/backend/common/backend_utils.py: _get_output_shape_given_tf_padding).

    >>> transposed(4, 3, 2, "same", None), transposed(4, 3, 2, "valid", None), transposed(4, 3, 2, "same", 1)
    (8, 9, 8)
    """
    if padding not in ("same", "valid"):
        return Unknown("padding")
    if output_padding is None and padding == "same":
        return lift(lambda n, s: n * s, size, stride)
    if output_padding is None:
        return lift(lambda n, k, s, d: n * s + max((k - 1) * d + 1 - s, 0), size, kernel, stride, dilation)
    if padding == "same":
        return lift(lambda n, k, s, d, p: (n - 1) * s + ((k - 1) * d + 1) % 2 + p, size, kernel, stride, dilation,
                    output_padding)
    return lift(lambda n, k, s, d, p: (n - 1) * s + (k - 1) * d + 1 + p, size, kernel, stride, dilation, output_padding)


@record(frozen=True, slots=True)
class ConvTranspose(SingleInput):
    """(N, *spatial, C) -> (N, *enlarged, filters); kernel (*kernel_size, filters, C), bias (filters,).

    keras/src/layers/convolutional/base_conv_transpose.py
    """

    name: str
    window: Window
    filters: Any
    output_padding: Any = None
    data_format: Any = None
    use_bias: Any = True

    def check(self, stack: Stack) -> Iterator[Mismatch]:
        slide = self.window
        if self.filters is not None:  # as in conv.py
            yield from check_positive("filters", self.filters, zero=Where(keras=">=2.9"))
        yield from check_extents("kernel_size", slide.extent, slide.rank)
        yield from check_extents("strides", slide.strides, slide.rank)
        yield from check_extents("dilation_rate", slide.dilation_rate, slide.rank)
        yield from check_padding(slide.padding, "valid", "same")
        yield from check_data_format(self.data_format)
        yield from check_dilation(slide.strides, slide.dilation_rate, Where())
        yield from self._check_unequal_dilation()
        if self.output_padding is not None:
            yield from check_extents("output_padding", self.output_padding, slide.rank, least=0)
            yield from self._check_output_padding()

    def _check_unequal_dilation(self) -> Iterator[Mismatch]:
        dilation = each(self.window.dilation_rate, self.window.rank)
        if self.window.rank == 2 and all(isinstance(rate, int) for rate in dilation) and len(set(dilation)) > 1:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"dilation_rate {show(self.window.dilation_rate)} is not square",
                           help="give both axes the same dilation_rate", argument="dilation_rate",
                           where=Where(keras="<3"), error='ValueError "Expected the 2 dimensions of the '
                           '`dilation_rate` argument to be equal to each other"')

    def _check_output_padding(self) -> Iterator[Mismatch]:
        strides = each(self.window.strides, self.window.rank)
        for extra, stride in zip(each(self.output_padding, self.window.rank), strides, strict=True):
            if isinstance(extra, int) and isinstance(stride, int) and 0 < stride <= extra:
                yield Mismatch(Problem.OUTPUT_PADDING,
                               f"output_padding {show(self.output_padding)} with strides {show(self.window.strides)}",
                               help="output_padding must be smaller than strides", argument="output_padding",
                               where=Where(keras="<3|>=3.14"),  # base_conv_transpose.py: BaseConvTranspose.__init__
                               error='ValueError "`output_padding` must be strictly less than `strides`" or '
                                     '"Strides must be greater than output padding"')
                return
        # base_conv_transpose.py before 3.11: standardize_tuple without allow_zero
        if any(extra == 0 for extra in each(self.output_padding, self.window.rank)):
            yield Mismatch(Problem.NON_POSITIVE, f"output_padding {show(self.output_padding)} is not positive",
                           help="leave output_padding out", argument="output_padding", where=Where(keras=">=3,<3.11"),
                           error='ValueError "The `output_padding` argument must be a tuple of integers"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        rank = self.window.rank
        if wrong := rank_mismatch(x, rank + 2, self.name, declares_least=True) \
                or padded_by_sides(self.window.padding, call.stack):
            return wrong
        at = split(x, rank, self.data_format)
        if isinstance(at, Unknown):
            return blank(x, rank, call.policy.compute)
        if wrong := undefined_channels(x, self.name, at.channel) or refused_dtype(x, call, self.name):
            return wrong
        after = self.over(at.spatial, call.stack)
        out = x.with_(shape=at.shape(after, as_dim(self.filters)), dtype=call.policy.compute)
        if any(map(gone, after)):
            cause = f"{self.window}, output_padding {show(self.output_padding)}"
            return empty(at.spatial, after, cause, "leave output_padding out", "", out)
        return self._unreachable(out) or out

    def _unreachable(self, out: Tensor) -> Mismatch | None:
        """A convolution of the output must give the input back: with "same" 0 < eff % 2 + output_padding <= stride,
        with "valid" output_padding < stride.

        tensorflow/core/kernels/conv_grad_shape_utils.cc: ConvBackpropExtractAndVerifyDimensionV2; seen on a CPU too.
        """
        slide = self.window
        if self.output_padding is None or not isinstance(slide.padding, str):
            return None
        extents = (slide.extent, slide.dilation_rate, slide.strides, self.output_padding)
        for k, d, s, p in zip(*(each(value, slide.rank) for value in extents), strict=True):
            rest = lift(lambda k, d, p: ((k - 1) * d + 1) % 2 + p, k, d, p)
            least = p if slide.padding.lower() == "valid" else lift(lambda rest: rest - 1, rest)
            if rest == 0 and slide.padding.lower() == "same":
                return self._lost(f"an even window: {slide}", out)
            if isinstance(least, int) and isinstance(s, int) and least >= s:
                return self._lost(f"strides {show(slide.strides)}", out)
        return None

    def _lost(self, cause: str, out: Tensor) -> Mismatch:
        return Mismatch(Problem.OUTPUT_PADDING, f"output_padding {show(self.output_padding)} with {cause}",
                        help="leave output_padding out", argument="output_padding", otherwise=out,
                        error='InvalidArgumentError "Size of out_backprop doesn\'t match computed"')

    def over(self, spatial: Shape, stack: Stack) -> Shape:
        """Extents after; Keras 2 ignores the dilation_rate of Conv3DTranspose (conv3d_transpose.py: call)."""
        slide = self.window
        dilation = 1 if slide.rank == 3 and stack.keras < (3,) else slide.dilation_rate
        padding = slide.padding.lower() if isinstance(slide.padding, str) else slide.padding
        extra = (None,) * slide.rank if self.output_padding is None else each(self.output_padding, slide.rank)
        return tuple(transposed(n, k, s, padding, p, d) for n, k, s, p, d in zip(
            spatial, each(slide.extent, slide.rank), each(slide.strides, slide.rank), extra,
            each(dilation, slide.rank), strict=True))

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        at = split(x, self.window.rank, self.data_format)
        kernel = spread(self.window.extent, self.window.rank)
        for unknown in (at, kernel, self.use_bias):
            if isinstance(unknown, Unknown):
                return unknown
        filters = as_dim(self.filters)
        return convolution_weights((*kernel, filters, at.channel), filters, self.use_bias)  # type: ignore

    def lower(self, at: Site) -> Value:
        made = convolve(at.tape, at.x, at.weight("kernel"), at.size())
        waiting(at.tape, made, shape_of(at.tape, at.x, PACKED))
        x = split(at.tensors[0], self.window.rank, self.data_format)
        if not isinstance(x, Unknown):
            unfolds(at.tape, made, x.spatial, x.channel, at.weight("kernel").size.fixed, turned=True)
            reads_both(at.tape, made, each(self.window.extent, self.window.rank), x.spatial)
            out = split(tensors(at.outputs)[0], self.window.rank, self.data_format)
            if not isinstance(out, Unknown):
                swaps(at.tape, made, at.weight("kernel"), self.window, out.spatial, x.spatial)
        if self.window.rank == 1 and each(self.window.strides, 1) == (1,):
            at.tape.turned.add(made.index)
        if (whole := self._whole(at)) is not None:
            at.tape.sliced[made.index] = whole
        return activated(at.tape, biased(at, made), at.given("activation"))

    def _whole(self, at: Site) -> Size | None:
        """What is put out where one side is padded by one more than the other, which cuDNN cannot do: that is cut off
        (xla/service/gpu/transforms/conv_padding_legalization.cc: CanonicalizeBackwardInputConvolution)."""
        rank, shape = self.window.rank, tensors(at.outputs)[0].shape
        gaps = [k - s for k, s in zip(each(self.window.extent, rank), each(self.window.strides, rank), strict=True)
                if isinstance(k, int) and isinstance(s, int)]
        same = str(self.window.padding).lower() == "same"
        if isinstance(shape, Unknown) or not same or len(gaps) < rank or not any(gap > 0 and gap % 2 for gap in gaps):
            return None
        first = 2 if str(self.data_format).lower() == "channels_first" else 1
        odd = [gap > 0 and gap % 2 for gap in gaps]
        whole = [dim + odd[place - first] if first <= place < first + rank and isinstance(dim, int) else dim
                 for place, dim in enumerate(shape)]
        return at.tape.size(whole, at.item)


HIDDEN = {"groups": "<3"}
"""Keras 2 takes it for its base class Conv, and ignores it (conv2d_transpose.py: **kwargs)."""


@layer("keras.layers.Conv1DTranspose", "keras.layers.Convolution1DTranspose", versions=HIDDEN)
def conv1d_transpose(filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid",
                     output_padding: Any = None, data_format: Any = None, dilation_rate: Any = 1,
                     activation: Any = None, use_bias: Any = True, kernel_initializer: Any = "glorot_uniform",
                     bias_initializer: Any = "zeros", kernel_regularizer: Any = None, bias_regularizer: Any = None,
                     activity_regularizer: Any = None, kernel_constraint: Any = None,
                     bias_constraint: Any = None, *, groups: Any = 1) -> ConvTranspose:
    window = Window(1, kernel_size, strides, padding, dilation_rate)
    return ConvTranspose("Conv1DTranspose", window, filters, output_padding, data_format, use_bias)


@layer("keras.layers.Conv2DTranspose", "keras.layers.Convolution2DTranspose", versions=HIDDEN)
def conv2d_transpose(filters: Any, kernel_size: Any, strides: Any = (1, 1), padding: Any = "valid",
                     output_padding: Any = None, data_format: Any = None, dilation_rate: Any = (1, 1),
                     activation: Any = None, use_bias: Any = True, kernel_initializer: Any = "glorot_uniform",
                     bias_initializer: Any = "zeros", kernel_regularizer: Any = None, bias_regularizer: Any = None,
                     activity_regularizer: Any = None, kernel_constraint: Any = None,
                     bias_constraint: Any = None, *, groups: Any = 1) -> ConvTranspose:
    window = Window(2, kernel_size, strides, padding, dilation_rate)
    return ConvTranspose("Conv2DTranspose", window, filters, output_padding, data_format, use_bias)


# Keras 2 has output_padding before data_format; both by keyword, as everyone writes them, is right on either
@layer("keras.layers.Conv3DTranspose", "keras.layers.Convolution3DTranspose", versions=HIDDEN)
def conv3d_transpose(filters: Any, kernel_size: Any, strides: Any = (1, 1, 1), padding: Any = "valid",
                     data_format: Any = None, output_padding: Any = None, dilation_rate: Any = (1, 1, 1),
                     activation: Any = None, use_bias: Any = True, kernel_initializer: Any = "glorot_uniform",
                     bias_initializer: Any = "zeros", kernel_regularizer: Any = None, bias_regularizer: Any = None,
                     activity_regularizer: Any = None, kernel_constraint: Any = None,
                     bias_constraint: Any = None, *, groups: Any = 1) -> ConvTranspose:
    window = Window(3, kernel_size, strides, padding, dilation_rate)
    return ConvTranspose("Conv3DTranspose", window, filters, output_padding, data_format, use_bias)
