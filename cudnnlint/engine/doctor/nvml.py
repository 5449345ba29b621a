"""The GPU memory of a process, asked through NVIDIA's management library (NVML)."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from cudnnlint.engine.doctor.probe import NVML

MOST = 512
"""Processes on a GPU that are looked at."""
UNKNOWN = 2**64 - 1
"""NVML_VALUE_NOT_AVAILABLE: the driver does not say, as on Windows."""


class _Process(ctypes.Structure):
    """nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v3 (nvml.h)."""

    _fields_ = (("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("gpu_instance", ctypes.c_uint),
                ("compute_instance", ctypes.c_uint))


def gpu_bytes(pid: int) -> int | None:
    """On all GPUs; None without a driver, or if no GPU lists the process (in a container it has another number)."""
    library = _library()
    if library is None:
        return None
    count = ctypes.c_uint()
    library.nvmlDeviceGetCount_v2(ctypes.byref(count))
    used = [found for index in range(count.value) if (found := _on(library, index, pid)) is not None]
    return sum(used) if used else None


def _on(library: Any, index: int, pid: int) -> int | None:
    device, room = ctypes.c_void_p(), ctypes.c_uint(MOST)
    if library.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(device)):
        return None
    processes = (_Process * MOST)()
    if library.nvmlDeviceGetComputeRunningProcesses_v3(device, ctypes.byref(room), processes):
        return None
    found = [each.used for each in processes[:room.value] if each.pid == pid and each.used != UNKNOWN]
    return sum(found) if found else None


@functools.cache
def _library() -> Any:
    """NVML, initialised; None where there is none, or one too old to list processes."""
    for name in NVML:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        has = getattr(library, "nvmlDeviceGetComputeRunningProcesses_v3", None)
        return library if has is not None and library.nvmlInit_v2() == 0 else None
    return None
