"""A GPU for what cuDNN answers only there: a handle, and memory from the driver (cuda.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from worker_cudnn import CudnnError, Library, RefusedError  # type: ignore[import-not-found]

DRIVERS = ("libcuda.so.1", "nvcuda.dll", "/usr/lib/wsl/lib/libcuda.so.1")
MAX_BYTES = 1 << 30
"""No question needs more."""
FLOAT = 4


class NoGpuError(Exception):
    """There is none that cuDNN can use."""


class Gpu:
    """The first one. What is allocated lives as long as the process, which has one such job.

    `cuda` is the newest CUDA that the driver runs.
    """

    def __init__(self, library: Library, load: Callable[[str], Any]) -> None:
        self._driver = _driver(load)
        device, context, name = ctypes.c_int(), ctypes.c_void_p(), ctypes.create_string_buffer(256)
        version = ctypes.c_int()
        self._do("cuInit", ctypes.c_uint(0))
        self._do("cuDriverGetVersion", ctypes.pointer(version))
        self._do("cuDeviceGet", ctypes.pointer(device), ctypes.c_int(0))
        self._do("cuDeviceGetName", name, ctypes.c_int(len(name)), device)
        self._do("cuDevicePrimaryCtxRetain", ctypes.pointer(context), device)
        self._do("cuCtxSetCurrent", context)
        self.name = name.value.decode(errors="replace")
        self.cuda = f"{version.value // 1000}.{version.value % 1000 // 10}"
        self.handle = ctypes.c_void_p()
        try:
            library.call("cudnnCreate", ctypes.pointer(self.handle))
        except CudnnError as error:
            raise NoGpuError(f"{error.status}: {error}") from None

    def zeros(self, extents: list[int]) -> ctypes.c_void_p:
        """float32, or something as wide."""
        count = FLOAT
        for extent in extents:
            count *= extent
        return self.bytes(count)

    def bytes(self, count: int) -> ctypes.c_void_p:
        if not 0 <= count <= MAX_BYTES:
            raise RefusedError(f"too large to try: {count} bytes")
        pointer = ctypes.c_void_p()
        self._do("cuMemAlloc_v2", ctypes.pointer(pointer), ctypes.c_size_t(max(count, 1)))
        self._do("cuMemsetD8_v2", pointer, ctypes.c_ubyte(0), ctypes.c_size_t(count))
        return pointer

    def wait(self) -> None:
        """Until all that was started has ended, so that a failure there is this job's."""
        self._do("cuCtxSynchronize")

    def _do(self, name: str, *values: Any) -> None:
        if status := getattr(self._driver, name)(*values):
            raise NoGpuError(f"the driver's {name} gives error {status}")


def _driver(load: Callable[[str], Any]) -> Any:
    for name in DRIVERS:
        try:
            return load(name)
        except OSError:
            continue
    raise NoGpuError("no NVIDIA driver")
