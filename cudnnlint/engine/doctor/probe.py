"""Describes the interpreter that runs it, as one line of JSON; standard library only, imports nothing it describes.

Run by path, isolated (`python -I probe.py`). NVIDIA's driver is asked through its management library (NVML).
"""

from __future__ import annotations

import contextlib
import ctypes
import glob
import json
import os
import platform
import re
import site
import sys
from typing import Any

WANTED = re.compile(r"(tensorflow|keras|tf[-_.]keras|torch|jax|nvidia[-_.]|numpy$|protobuf$|ml[-_.]dtypes$|h5py$|"
                    r"typing[-_.]extensions$|tensorboard$)", re.IGNORECASE)
NVML = ("libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1", "nvml.dll")
LONGEST = 65_536


def places() -> list[str]:
    """Where packages are looked for: `-I` leaves the user's own out, which a program that is run has."""
    found = [path for path in sys.path if path and os.path.isdir(path)]
    own = site.getusersitepackages()
    if sys.prefix == sys.base_prefix and os.path.isdir(own) and own not in found:
        found.append(own)
    return found


def packages(paths: list[str]) -> dict[str, Any]:
    """Of each name the one that an import finds, and how many there are."""
    from importlib import metadata

    found: dict[str, Any] = {}
    for each in metadata.distributions(path=paths):
        name = (each.metadata["Name"] or "") if each.metadata is not None else ""
        if not WANTED.match(name):
            continue
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            found[key]["copies"] += 1
            continue
        found[key] = {"version": each.version, "path": str(each.locate_file("")), "requires": each.requires or [],
                      "copies": 1}
    return found


def build_info(paths: list[str]) -> str:
    """The text of TensorFlow's own description of its build; "" without TensorFlow."""
    for path in paths:
        with contextlib.suppress(OSError), open(
                os.path.join(path, "tensorflow", "python", "platform", "build_info.py"), encoding="utf-8") as file:
            return file.read(LONGEST)
    return ""


def libraries(folders: list[str]) -> dict[str, list[str]]:
    """Shared libraries of CUDA's, by folder."""
    found = {}
    for folder in folders:
        names = [os.path.basename(path) for pattern in ("libcud*.so.*", "libcublas.so.*")
                 for path in glob.glob(os.path.join(glob.escape(folder), pattern))]
        if names:
            found[folder] = sorted(names)
    return found


def gpus() -> tuple[str, int, list[dict[str, Any]], str]:
    """(driver, CUDA version of the driver as 12040, GPUs, what went wrong)."""
    library = None
    for name in NVML:
        try:
            library = ctypes.CDLL(name)
            break
        except OSError:
            continue
    if library is None:
        return "", 0, [], "no NVIDIA driver"
    if code := library.nvmlInit_v2():
        return "", 0, [], f"NVML: {_error(library, code)}"
    try:
        text, number = ctypes.create_string_buffer(96), ctypes.c_int()
        library.nvmlSystemGetDriverVersion(text, 96)
        library.nvmlSystemGetCudaDriverVersion_v2(ctypes.byref(number))
        count = ctypes.c_uint()
        library.nvmlDeviceGetCount_v2(ctypes.byref(count))
        found = [each for index in range(count.value) for each in _gpus(library, index)]
        return text.value.decode(errors="replace"), number.value, found, ""
    finally:
        library.nvmlShutdown()


def _error(library: Any, code: int) -> str:
    library.nvmlErrorString.restype = ctypes.c_char_p  # else the pointer is cut to an int
    text: bytes = library.nvmlErrorString(code)
    return text.decode(errors="replace")


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


def _gpus(library: Any, index: int) -> list[dict[str, Any]]:
    """A GPU, or the slices that it is divided into (MIG): a program sees these alone."""
    device, major, minor = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
    if code := library.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(device)):
        return [{"name": f"GPU {index}: {_error(library, code)}", "capability": [], "memory": 0, "free": 0}]
    known = library.nvmlDeviceGetCudaComputeCapability(device, ctypes.byref(major), ctypes.byref(minor)) == 0
    capability = [major.value, minor.value] if known else []
    return [{**_memory(library, each), "capability": capability} for each in _slices(library, device) or [device]]


def _slices(library: Any, device: Any) -> list[Any]:
    """Those of a GPU that is divided; drivers before 450 do not know of any."""
    mode, coming, most = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
    ask = getattr(library, "nvmlDeviceGetMigMode", None)
    if ask is None or ask(device, ctypes.byref(mode), ctypes.byref(coming)) or not mode.value:
        return []
    library.nvmlDeviceGetMaxMigDeviceCount(device, ctypes.byref(most))
    handles = [ctypes.c_void_p() for _ in range(most.value)]
    return [handle for place, handle in enumerate(handles) if not library.nvmlDeviceGetMigDeviceHandleByIndex(
        device, ctypes.c_uint(place), ctypes.byref(handle))]


def _memory(library: Any, device: Any) -> dict[str, Any]:
    name, memory = ctypes.create_string_buffer(96), _Memory()
    library.nvmlDeviceGetName(device, name, 96)
    library.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory))
    return {"name": name.value.decode(errors="replace"), "memory": memory.total, "free": memory.free}


def described() -> dict[str, Any]:
    paths = places()
    driver, cuda, devices, reason = gpus()
    wheels = [folder for path in paths
              for folder in sorted(glob.glob(os.path.join(glob.escape(path), "nvidia", "*", "lib")))]
    searched = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    return {
        "python": platform.python_version(), "executable": sys.executable, "prefix": sys.prefix,
        "platform": sys.platform, "machine": platform.machine(), "system": platform.system(), "paths": paths,
        "packages": packages(paths), "build_info": build_info(paths), "wheel_libraries": libraries(wheels),
        "searched_libraries": libraries(searched), "driver": driver, "driver_cuda": cuda, "gpus": devices,
        "no_gpu": reason,
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(json.dumps(described()).encode() + b"\n")
