"""Bytes that tensors take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cudnnlint.values.dim import BATCH
from cudnnlint.values.tensor import Tensor, tensors

BYTES: Mapping[str, int] = {
    "float64": 8, "int64": 8, "uint64": 8, "complex64": 8, "complex128": 16, "float32": 4, "int32": 4, "uint32": 4,
    "float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2, "int8": 1, "uint8": 1, "bool": 1, "int4": 1,
    "float8_e4m3fn": 1, "float8_e5m2": 1}


def bytes_of(structure: Any, batch: Any = None) -> int | None:
    """Of all tensors together, None if one is not known; `batch` stands for an open batch axis.

    >>> bytes_of(Tensor((BATCH, 4), "float16"), 10), bytes_of(Tensor((BATCH, 4)))
    (80, None)
    """
    found = tensors(structure)
    known = [size for tensor in found if (size := _bytes(tensor, batch)) is not None]
    return sum(known) if found and len(known) == len(found) else None


def _bytes(tensor: Tensor, batch: Any) -> int | None:
    if not isinstance(tensor.shape, tuple) or not isinstance(tensor.dtype, str) or tensor.dtype not in BYTES:
        return None
    size = BYTES[tensor.dtype]
    for dim in tensor.shape:
        extent = dim if type(dim) is int else batch if dim == BATCH else dim
        if not isinstance(extent, int):
            return None
        size *= extent
    return size
