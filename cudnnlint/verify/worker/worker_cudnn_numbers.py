"""Enumerators of cuDNN's public headers, by the names that jobs use."""

from __future__ import annotations

import ctypes
from typing import Any

from worker_cudnn import RefusedError  # type: ignore[import-not-found]

DTYPES = {"float32": 0, "float64": 1, "float16": 2, "int8": 3, "int32": 4, "uint8": 6, "bfloat16": 9, "int64": 10,
          "bool": 11}
"""cudnnDataType_t"""
FORMATS = {"NCHW": 0, "NHWC": 1}
"""cudnnTensorFormat_t; extents are given in the order N, C, spatial with either."""
CROSS_CORRELATION = 1
"""cudnnConvolutionMode_t: what frameworks call a convolution."""
POOLINGS = {"max": 0, "average": 2}
"""cudnnPoolingMode_t; 2 is CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING."""
SPATIAL = 1
"""cudnnBatchNormMode_t"""
CELLS = {"RNN": 1, "LSTM": 2, "GRU": 3}
"""cudnnRNNMode_t; 1 is CUDNN_RNN_TANH."""
LAYOUTS = {"time": 0, "packed": 1, "batch": 2}
"""cudnnRNNDataLayout_t"""
BIASES, PADDED = 2, 1
"""CUDNN_RNN_DOUBLE_BIAS, CUDNN_RNN_PADDED_IO_ENABLED"""
SOFTMAX = 1
"""cudnnLossNormalizationMode_t"""
CONVOLUTION, FORWARD, TENSOR = 1, 10, 17
"""cudnnBackendDescriptorType_t"""
DATA_TYPE, INT64, FLOAT, MODE, DESCRIPTOR = 1, 3, 4, 7, 15
"""cudnnBackendAttributeType_t"""
VALUES: dict[int, Any] = {DATA_TYPE: ctypes.c_int, INT64: ctypes.c_int64, FLOAT: ctypes.c_float, MODE: ctypes.c_int,
                          DESCRIPTOR: ctypes.c_void_p}


def dtype_of(told: dict[str, Any]) -> int:
    if told["dtype"] not in DTYPES:
        raise RefusedError(f"cuDNN has no {told['dtype']}")
    return DTYPES[told["dtype"]]


def format_of(told: dict[str, Any]) -> int:
    return FORMATS[told.get("format", "NCHW")]
