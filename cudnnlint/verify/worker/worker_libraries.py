"""The libraries of a worker: what they are called, where they compute, how much memory that took."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any


class RefusedError(Exception):
    """A job that is not taken."""


class Libraries:
    """Imported when the first job needs them. `profile` is the directory for profiles, "" for none."""

    def __init__(self, backend: str, device: str) -> None:
        self.backend, self.device, self.profile = backend, device, ""
        self._keras: dict[str, Any] = {}

    def keras(self, api: str) -> Any:
        """What the program means by keras: "keras", or Keras 2 as "tf_keras"."""
        if api not in self._keras:
            if api not in ("keras", "tf_keras", "torch"):
                raise RefusedError(f"no library {api}")
            found = importlib.import_module(api)
            if api == "keras" and version_of(found).startswith("2.") and self.backend == "tensorflow":
                found = importlib.import_module("tensorflow").keras
            self._keras[api] = found
        return self._keras[api]

    def divide(self, replicas: int) -> None:
        """As many devices for a strategy as there are replicas: on a CPU, parts of it."""
        if self.backend == "tensorflow" and self.device == "cpu" and replicas > 1:
            config = importlib.import_module("tensorflow").config
            parts = [config.LogicalDeviceConfiguration() for _ in range(replicas)]
            config.set_logical_device_configuration(config.list_physical_devices("CPU")[0], parts)

    def versions(self, api: str) -> dict[str, str]:
        told = {api: version_of(self.keras(api))}
        if api != "torch":
            told[self.backend] = version_of(importlib.import_module(self.backend))
        told["python"] = ".".join(map(str, sys.version_info[:3]))
        return told

    def device_name(self) -> str:
        """"CPU", or the GPU's name."""
        return "CPU" if self.device == "cpu" else str(DEVICES[self.backend]() or "CPU")

    def peak_bytes(self) -> int | None:
        """The most memory of the GPU in use at once; None on a CPU, but for one with the allocator of GPUs."""
        if not self._measured():
            return None
        if self.backend == "torch":
            return int(importlib.import_module("torch").cuda.max_memory_allocated())
        if self.backend == "jax":
            stats = importlib.import_module("jax").devices()[0].memory_stats() or {}
            return stats.get("peak_bytes_in_use")
        experimental = importlib.import_module("tensorflow").config.experimental
        return int(experimental.get_memory_info(self._place())["peak"])

    def reset_peak(self) -> None:
        """Count from here on; JAX counts from the start of the process."""
        if self._measured() and self.backend == "torch":
            importlib.import_module("torch").cuda.reset_peak_memory_stats()
        elif self._measured() and self.backend == "tensorflow":
            importlib.import_module("tensorflow").config.experimental.reset_memory_stats(self._place())

    def _measured(self) -> bool:
        """tensorflow/core/common_runtime/process_state.cc: the variable gives a CPU the allocator that GPUs have."""
        return self.device_name() != "CPU" or bool(self.backend == "tensorflow"
                                                   and os.environ.get("TF_CPU_ALLOCATOR_USE_BFC"))

    def _place(self) -> str:
        return "CPU:0" if self.device == "cpu" else "GPU:0"


def version_of(module: Any) -> str:
    return str(getattr(module, "__version__", ""))


def _tensorflow_gpu() -> Any:
    config = importlib.import_module("tensorflow").config
    found = config.list_physical_devices("GPU")
    return config.experimental.get_device_details(found[0]).get("device_name", "GPU") if found else None


def _torch_gpu() -> Any:
    cuda = importlib.import_module("torch").cuda
    return cuda.get_device_name(0) if cuda.is_available() else None


def _jax_gpu() -> Any:
    first = importlib.import_module("jax").devices()[0]
    return first.device_kind if first.platform == "gpu" else None


DEVICES = {"tensorflow": _tensorflow_gpu, "torch": _torch_gpu, "jax": _jax_gpu}


def attribute(module: Any, path: str) -> Any:
    """A public name below a module."""
    for name in path.split("."):
        if name.startswith("_"):
            raise RefusedError(f"no name {path}")
        module = getattr(module, name)
    return module
