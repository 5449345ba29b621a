"""Grey-scale morphology: tf.nn.dilation2d and tf.nn.erosion2d."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import window
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.sliding import spatial_values
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Unknown


def morphed(value: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any) -> Outcome:
    """(B, H, W, C) under (h, w, C) -> (B, H', W', C), by any strides and dilations
    (tensorflow/core/kernels/dilation_ops.cc: ParseSizes).

    >>> from cudnnlint.values import Tensor
    >>> print(morphed(Tensor((1, 20, 21, 3), "float32"), Tensor((3, 3, 3), "float32"), [1, 2, 3, 1], "VALID", "NHWC",
    ...               [1, 2, 3, 1]))
    float32[1, 8, 5, 3]
    """
    x, over = as_tensor(value, "tf"), as_tensor(filters, "tf")
    if isinstance(x, Unknown):
        return x
    if not isinstance(x.shape, tuple) or len(x.shape) != 4 or isinstance(over, Unknown) \
            or not isinstance(over.shape, tuple) or len(over.shape) != 3 or data_format != "NHWC":
        return x.with_(shape=Unknown("the window of a dilation"))
    kind = padding.lower() if isinstance(padding, str) else padding
    sides = [window(size, extent, stride, kind, dilation) for size, extent, stride, dilation in zip(
        x.shape[1:3], over.shape[:2], spatial_values(strides, 2, "NHWC"), spatial_values(dilations, 2, "NHWC"),
        strict=True)]
    if any(isinstance(side, int) and side <= 0 for side in sides):
        return x.with_(shape=Unknown("a window larger than what it goes over"))
    return x.with_(shape=(x.shape[0], *sides, x.shape[3]))


@function("tensorflow.nn.dilation2d")
def dilation2d(input: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any,
               name: Any = None) -> Outcome:
    return morphed(input, filters, strides, padding, data_format, dilations)


@function("tensorflow.nn.erosion2d")
def erosion2d(value: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any,
              name: Any = None) -> Outcome:
    return morphed(value, filters, strides, padding, data_format, dilations)


@function("tensorflow.compat.v1.nn.dilation2d")
def dilation2d_v1(input: Any, filter: Any = None, strides: Any = None, rates: Any = None, padding: Any = None,
                  name: Any = None, filters: Any = None, dilations: Any = None) -> Outcome:
    return morphed(input, filter if filters is None else filters, strides, padding, "NHWC",
                   rates if dilations is None else dilations)


@function("tensorflow.compat.v1.nn.erosion2d")
def erosion2d_v1(value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: Any = None) -> Outcome:
    return morphed(value, kernel, strides, padding, "NHWC", rates)
