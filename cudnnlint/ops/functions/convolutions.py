"""Spellings of tf.nn.conv*, keras.ops.conv and keras.backend.conv*."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import lift
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import known_size
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.convolution import convolve, depthwise, kernel, separable, transposed
from cudnnlint.ops.functions.dtypes import promote_keras
from cudnnlint.ops.functions.sliding import spatial_values, split
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Mismatch, Problem, Tensor, Unknown


@function("tensorflow.nn.conv1d")
def conv1d(input: Any, filters: Any, stride: Any, padding: Any, data_format: Any = "NWC", dilations: Any = None,
           name: Any = None) -> Outcome:
    return convolve(input, filters, stride, padding, data_format, dilations, 1, "tf", "tf.nn.conv1d")


@function("tensorflow.nn.conv2d")
def conv2d(input: Any, filters: Any, strides: Any, padding: Any, data_format: Any = "NHWC", dilations: Any = None,
           name: Any = None) -> Outcome:
    return convolve(input, filters, strides, padding, data_format, dilations, 2, "tf", "tf.nn.conv2d")


@function("tensorflow.nn.conv3d")
def conv3d(input: Any, filters: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", dilations: Any = None,
           name: Any = None) -> Outcome:
    return convolve(input, filters, strides, padding, data_format, dilations, 3, "tf", "tf.nn.conv3d")


def spatial_rank(*values: Any) -> int | None:
    """How many spatial axes, by the first tensor of known rank: rank - 2."""
    for value in values:
        rank = value.rank if isinstance(value, Tensor) else None
        if rank is not None and 3 <= rank <= 5:
            return int(rank) - 2
    return None


@function("tensorflow.nn.convolution")
def convolution(input: Any, filters: Any, strides: Any = None, padding: Any = "VALID", data_format: Any = None,
                dilations: Any = None, name: Any = None) -> Outcome:
    rank = spatial_rank(filters, input)
    if rank is None:
        return Unknown("rank of the filters")
    return convolve(input, filters, strides, padding, data_format, dilations, rank, "tf", "tf.nn.convolution")


@function("tensorflow.nn.atrous_conv2d")
def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: Any = None) -> Outcome:
    return convolve(value, filters, 1, padding, "NHWC", rate, 2, "tf", "tf.nn.atrous_conv2d")


@function("tensorflow.nn.depthwise_conv2d")
def depthwise_conv2d(input: Any, filter: Any, strides: Any, padding: Any, data_format: Any = None,
                     dilations: Any = None, name: Any = None) -> Outcome:
    """Unequal strides pass on the CPU only (depthwise_conv_op.cc)."""
    made = depthwise(input, filter, strides, padding, data_format, dilations, 2, "tf", "tf.nn.depthwise_conv2d")
    rows, columns = spatial_values(strides, 2, data_format)
    if isinstance(made, Tensor) and isinstance(rows, int) and isinstance(columns, int) and rows != columns:
        return Mismatch(Problem.UNEQUAL_STRIDES, f"tf.nn.depthwise_conv2d with strides {rows} and {columns}",
                        help="equal strides for height and width; oneDNN on the CPU accepts unequal ones",
                        error='InvalidArgumentError "Current implementation only supports equal length strides in the '
                              'row and column dimensions."', otherwise=made, argument="strides")
    return made


@function("tensorflow.nn.separable_conv2d")
def separable_conv2d(input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any,
                     data_format: Any = None, dilations: Any = None, name: Any = None) -> Outcome:
    return separable(input, depthwise_filter, pointwise_filter, strides, padding, data_format, dilations, 2, "tf",
                     "tf.nn.separable_conv2d")


@function("tensorflow.nn.conv1d_transpose")
def conv1d_transpose(input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
                     data_format: Any = "NWC", dilations: Any = None, name: Any = None) -> Outcome:
    return transposed(input, filters, output_shape, data_format, 1, "tf.nn.conv1d_transpose",
                      (strides, padding, dilations))


@function("tensorflow.nn.conv2d_transpose")
def conv2d_transpose(input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
                     data_format: Any = "NHWC", dilations: Any = None, name: Any = None) -> Outcome:
    return transposed(input, filters, output_shape, data_format, 2, "tf.nn.conv2d_transpose",
                      (strides, padding, dilations))


@function("tensorflow.nn.conv3d_transpose")
def conv3d_transpose(input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
                     data_format: Any = "NDHWC", dilations: Any = None, name: Any = None) -> Outcome:
    return transposed(input, filters, output_shape, data_format, 3, "tf.nn.conv3d_transpose",
                      (strides, padding, dilations))


@function("tensorflow.nn.conv_transpose")
def conv_transpose(input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
                   data_format: Any = None, dilations: Any = None, name: Any = None) -> Outcome:
    rank = spatial_rank(filters, input)
    if rank is None:
        return Unknown("rank of the filters")
    return transposed(input, filters, output_shape, data_format, rank, "tf.nn.conv_transpose",
                      (strides, padding, dilations))


@function(*paths.ops("conv", "nn"))
def keras_conv(inputs: Any, kernel: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
               dilation_rate: Any = 1) -> Outcome:
    rank = spatial_rank(inputs, kernel)
    if rank is None:
        return Unknown("rank of the input")
    return convolve(inputs, kernel, strides, padding, data_format, dilation_rate, rank, "keras", "keras.ops.conv")


@function(*paths.ops("depthwise_conv", "nn"))
def keras_depthwise_conv(inputs: Any, kernel: Any, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
                         dilation_rate: Any = 1) -> Outcome:
    rank = spatial_rank(inputs, kernel)
    if rank is None:
        return Unknown("rank of the input")
    return depthwise(inputs, kernel, strides, padding, data_format, dilation_rate, rank, "keras",
                     "keras.ops.depthwise_conv")


@function(*paths.ops("separable_conv", "nn"))
def keras_separable_conv(inputs: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Any = 1,
                         padding: Any = "valid", data_format: Any = None, dilation_rate: Any = 1) -> Outcome:
    rank = spatial_rank(inputs, depthwise_kernel)
    if rank is None:
        return Unknown("rank of the input")
    return separable(inputs, depthwise_kernel, pointwise_kernel, strides, padding, data_format, dilation_rate, rank,
                     "keras", "keras.ops.separable_conv")


def grown(n: Dim, k: Dim, s: Dim, padding: Any, d: Dim, output_padding: Any) -> Dim:
    """Extent after a transposed convolution (keras/src/backend/common/backend_utils.py:
    compute_conv_transpose_output_shape).

    >>> grown(8, 3, 2, "valid", 1, None), grown(8, 3, 2, "same", 1, None), grown(8, 3, 2, "same", 1, 0)
    (17, 16, 15)
    """
    if padding not in ("valid", "same") or isinstance(output_padding, Unknown):
        return Unknown("padding")
    if output_padding is None:
        if padding == "same":
            return lift(lambda n, s: n * s, n, s)
        return lift(lambda n, k, s, d: n * s + max((k - 1) * d + 1 - s, 0), n, k, s, d)
    extra = 0 if padding == "valid" else 1
    return lift(lambda n, k, s, d, p: (n - 1) * s + (k - 1) * d + 1 - 2 * extra * (((k - 1) * d + 1) // 2) + p,
                n, k, s, d, output_padding)


@function(*paths.ops("conv_transpose", "nn"))
def keras_conv_transpose(inputs: Any, kernel: Any, strides: Any = 1, padding: Any = "valid", output_padding: Any = None,
                         data_format: Any = None, dilation_rate: Any = 1) -> Outcome:
    rank = spatial_rank(inputs, kernel)
    if rank is None:
        return Unknown("rank of the input")
    return _keras_transposed(inputs, kernel, strides, padding, output_padding, data_format, dilation_rate, rank)


def _keras_transposed(inputs: Any, filters: Any, strides: Any, padding: Any, output_padding: Any, data_format: Any,
                      dilation_rate: Any, rank: int) -> Outcome:
    x, w = as_tensor(inputs, "keras"), kernel(filters, rank, "keras", "keras.ops.conv_transpose")
    if isinstance(w, Mismatch) or isinstance(x, Unknown):
        return w if isinstance(w, Mismatch) else x
    at = split(x, rank, data_format)
    if isinstance(at, Unknown) or isinstance(w.shape, Unknown):
        return x.with_(shape=Unknown("data_format"))
    steps, holes = spatial_values(strides, rank, data_format), spatial_values(dilation_rate, rank, data_format)
    extra = (None,) * rank if output_padding is None else spatial_values(output_padding, rank, data_format)
    after = tuple(known_size(grown(n, k, s, padding, d, p)) for n, k, s, d, p in
                  zip(at.spatial, w.shape[:-2], steps, holes, extra, strict=True))
    return x.with_(shape=at.shape(after, w.shape[-2]), dtype=promote_keras(x.dtype, w.dtype))


def _backend(rank: int, default: Any) -> paths.Builder:
    def build(x: Any, kernel: Any, strides: Any = default, padding: Any = "valid", data_format: Any = None,
              dilation_rate: Any = default) -> Outcome:
        return convolve(x, kernel, strides, padding, data_format, dilation_rate, rank, "keras",
                        f"keras.backend.conv{rank}d")

    return build


paths.spell(_backend(1, 1), "keras.backend.conv1d")
paths.spell(_backend(2, (1, 1)), "keras.backend.conv2d")
paths.spell(_backend(3, (1, 1, 1)), "keras.backend.conv3d")


@function("keras.backend.conv2d_transpose")
def backend_conv2d_transpose(x: Any, kernel: Any, output_shape: Any, strides: Any = (1, 1), padding: Any = "valid",
                             data_format: Any = None, dilation_rate: Any = (1, 1)) -> Outcome:
    return transposed(x, kernel, output_shape, data_format, 2, "keras.backend.conv2d_transpose")


@function("keras.backend.depthwise_conv2d")
def backend_depthwise_conv2d(x: Any, depthwise_kernel: Any, strides: Any = (1, 1), padding: Any = "valid",
                             data_format: Any = None, dilation_rate: Any = (1, 1)) -> Outcome:
    return depthwise(x, depthwise_kernel, strides, padding, data_format, dilation_rate, 2, "keras",
                     "keras.backend.depthwise_conv2d")


@function("keras.backend.separable_conv2d")
def backend_separable_conv2d(x: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Any = (1, 1),
                             padding: Any = "valid", data_format: Any = None, dilation_rate: Any = (1, 1)) -> Outcome:
    return separable(x, depthwise_kernel, pointwise_kernel, strides, padding, data_format, dilation_rate, 2, "keras",
                     "keras.backend.separable_conv2d")
