"""A convolution told to cuDNN's graph API, which compares more than its descriptors do."""

from __future__ import annotations

import ctypes
from typing import Any

from worker_cudnn_numbers import (  # type: ignore[import-not-found]
    CONVOLUTION,
    CROSS_CORRELATION,
    DATA_TYPE,
    DESCRIPTOR,
    FLOAT,
    FORWARD,
    INT64,
    MODE,
    TENSOR,
    VALUES,
    dtype_of,
)

ALIGNED = 16
"""Bytes."""


def convolved(job: Any, told: dict[str, Any]) -> None:
    """Whether groups, which follow from the channels, divide the filters too. Attributes by number, as
    cudnnBackendAttributeName_t has them."""
    x, kernel, spatial = told["x"], told["kernel"], len(told["strides"])
    y = [*x[:1], *kernel[:1], *(_extent(told, axis) for axis in range(spatial))]
    slid = _finalized(job, "convolution", CONVOLUTION, {
        100: (DATA_TYPE, [0]), 101: (MODE, [CROSS_CORRELATION]), 102: (INT64, told["dilation"]),
        103: (INT64, told["strides"]), 104: (INT64, told["padding"]), 105: (INT64, told["padding"]),
        106: (INT64, [spatial])})
    tensors = [_finalized(job, "tensor", TENSOR, {
        900: (INT64, [ALIGNED]), 901: (DATA_TYPE, [dtype_of(told)]), 902: (INT64, extents),
        903: (INT64, packed(extents)), 906: (INT64, [number])}) for number, extents in enumerate((kernel, x, y))]
    _finalized(job, "operation", FORWARD, {
        700: (FLOAT, [1]), 701: (FLOAT, [0]), 702: (DESCRIPTOR, [slid]),
        **{703 + number: (DESCRIPTOR, [tensor]) for number, tensor in enumerate(tensors)}})


def _extent(told: dict[str, Any], axis: int) -> int:
    reach = told["dilation"][axis] * (told["kernel"][axis + 2] - 1) + 1
    size: int = (told["x"][axis + 2] + 2 * told["padding"][axis] - reach) // told["strides"][axis] + 1
    return size


def _finalized(job: Any, what: str, kind: int, attributes: dict[int, tuple[int, list[Any]]]) -> Any:
    """A descriptor with its attributes, checked."""
    made = ctypes.c_void_p()
    job.call("cudnnBackendCreateDescriptor", kind, ctypes.pointer(made))
    for name, (kind_, values) in attributes.items():
        job.call("cudnnBackendSetAttribute", made, name, kind_, len(values), (VALUES[kind_] * len(values))(*values))
    job.finalize(what, made)
    return made


def packed(extents: list[int]) -> list[int]:
    """Strides of a tensor whose last axis is the innermost.

    >>> packed([2, 3, 4, 5])
    [60, 20, 5, 1]
    """
    strides = [1]
    for extent in extents[:0:-1]:
        strides.insert(0, strides[0] * extent)
    return strides
