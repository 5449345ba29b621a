"""What a program says of the GPU's memory and of how steps are run on it, and what that leaves for tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cudnnlint.memory.amounts import amount
from cudnnlint.memory.places import at
from cudnnlint.records import record
from cudnnlint.source import Source, Span

if TYPE_CHECKING:
    from cudnnlint.memory.gpus import GPU

MIB = 1 << 20
LIMIT, FRACTION, RESERVED = "memory_limit", "per_process_gpu_memory_fraction", "TF_DEVICE_MIN_SYS_MEMORY_IN_MB"
GROWTH, FORCED, ALLOCATOR = "memory growth", "TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_ALLOCATOR"
BACKEND, CLUSTERING, FLAGS = "KERAS_BACKEND", "tf.config.optimizer.set_jit", "TF_XLA_FLAGS"
DETERMINISM, EAGERLY = "deterministic operations", "tf.config.run_functions_eagerly"
SWITCHES = frozenset({BACKEND, CLUSTERING, FLAGS, DETERMINISM, EAGERLY})
"""What decides how a step is run."""
SHARES = ("XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION")
JAX, JAX_SHARE = "jax", 0.75
"""What JAX takes of a GPU's whole memory, of which it gives no more than that to anyone (docs.jax.dev: GPU memory
allocation)."""


@record(frozen=True, slots=True)
class Setting:
    """One of them.

    value  MiB of each logical device for LIMIT, a share of the GPU for FRACTION, MiB for RESERVED, else what is given;
           Unknown where it is not known
    sure   whether it is certainly set where there is a GPU
    """

    kind: str
    value: Any
    span: Span
    sure: bool = True


@record(frozen=True, slots=True)
class DeviceMemory:
    """All that a program set until a call, in its order."""

    settings: tuple[Setting, ...] = ()

    def on(self, gpu: GPU) -> GPU:
        """The GPU as TensorFlow takes it (tensorflow/core/common_runtime/gpu/gpu_device.cc: CreateDevices and
        SingleVirtualDeviceMemoryLimit): logical devices by their own limits, else a share of the whole memory, else
        what is free without a reserve."""
        usable = self._usable(gpu)
        return gpu if usable == gpu.usable else replace(gpu, usable=usable)

    def decides(self, gpu: GPU) -> Setting | None:
        """What makes it more or less than all."""
        if self._usable(gpu) == gpu.usable:
            return None
        kinds = (*SHARES, BACKEND) if self.value(BACKEND) == JAX else (LIMIT, RESERVED, FRACTION)
        return next(found for kind in kinds if (found := self._last(kind)) is not None)

    def _usable(self, gpu: GPU) -> int:
        from cudnnlint.memory.gpus import capability, reserve

        limit, reserved, fraction = (self._last(kind) for kind in (LIMIT, RESERVED, FRACTION))
        free = gpu.usable + reserve(capability(gpu.name), gpu.usable)
        if self.value(BACKEND) == JAX:
            shares = [found.value for kind in SHARES if (found := self._last(kind)) is not None]
            return min(free, int(gpu.total * next(iter(shares), JAX_SHARE)))
        if limit is not None:
            return int(min(free, limit.value[0] * MIB))
        if reserved is not None and reserved.value * MIB < free:
            return int(free - reserved.value * MIB)
        if fraction is not None and fraction.value <= 1:
            return min(free, int(gpu.total * fraction.value))
        return gpu.usable

    def value(self, kind: str) -> Any:
        """What a switch is certainly set to; None where it is not."""
        last = self._last(kind)
        return None if last is None else last.value

    @property
    def devices(self) -> int:
        """Logical GPUs that one GPU is divided into."""
        limit = self._last(LIMIT)
        return len(limit.value) if limit is not None else 1

    def notes(self, home: Source) -> Iterator[str]:
        """What is set, and where: `home` is the file that is spoken of."""
        for kind in dict.fromkeys(setting.kind for setting in self.settings):
            setting = [one for one in self.settings if one.kind == kind][-1]
            where = at(setting.span, home)
            if not setting.sure or not _known(setting):
                why = "its value is not known" if setting.sure else "it may not be set"
                yield f"{kind} ({where}) is not counted: {why}"
            elif text := said(setting):
                yield f"{text} ({where})"

    def _last(self, kind: str) -> Setting | None:
        found = [one for one in self.settings if one.kind == kind and one.sure and _known(one)]
        return found[-1] if found else None


def _known(setting: Setting) -> bool:
    """Whether the value is one that counts."""
    value = setting.value
    if setting.kind == LIMIT:
        return isinstance(value, tuple) and value != () and all(isinstance(each, int) and each > 0 for each in value)
    if setting.kind in (FRACTION, *SHARES):
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
    if setting.kind == RESERVED:
        return isinstance(value, int) and value > 0
    return isinstance(value, (bool, str))


def said(setting: Setting) -> str:
    """For people; nothing where it changes nothing."""
    kind, value = setting.kind, setting.value
    if kind == LIMIT:
        sizes = " and ".join(dict.fromkeys(amount(each * MIB) for each in value))
        return f"memory_limit of {sizes}" + (f", {len(value)} logical GPUs" if len(value) > 1 else "")
    if kind == FRACTION:
        return f"{kind}={value:g}" + (": what exceeds the GPU goes to the host's memory" if value > 1 else "")
    if kind == GROWTH or (kind == FORCED and value == "true"):
        name = GROWTH if kind == GROWTH else f"{FORCED}={value}"
        return f"{name}: taken as it is needed, up to the same limit" if value not in (False, "false") else ""
    if kind in (CLUSTERING, FLAGS):
        return f"{kind}: that XLA compiles clusters of operations is not counted" if value is not False else ""
    if kind in SWITCHES:
        if kind != BACKEND:
            return kind * (value is True)
        taken = f", which takes {JAX_SHARE:.0%} of the GPU's memory by default".replace("%", " %")
        return f"{kind}={value}{taken * (value == JAX)}"
    if kind == ALLOCATOR:
        return f"{kind}={value}" + (": fragments less than is counted here" if value == "cuda_malloc_async" else "")
    return f"{kind}={value}"
