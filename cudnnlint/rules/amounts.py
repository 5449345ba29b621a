"""GPUs and amounts of memory as rules speak of them."""

from __future__ import annotations

from functools import cache

from cudnnlint.memory.amounts import amount as amount  # noqa: PLC0414 - rules import it from here
from cudnnlint.memory.gpus import ASSUMED, GPU, find, unknown
from cudnnlint.records import record

SURELY = 1.05
"""What must be exceeded by: idle machines differ by a few percent in what they leave to TensorFlow."""


@record(frozen=True, slots=True)
class OnGPU:
    """gpu  a name ("T4", "A100-40", "RTX 3090") or its memory ("16GiB"), instead of the `gpu` of the settings"""

    gpu: str = ""

    def __post_init__(self) -> None:
        if self.gpu and find(self.gpu) is None:
            raise ValueError(unknown(self.gpu))


@cache
def gpu_of(name: str) -> GPU:
    """The configured GPU, or the assumed one."""
    return find(name) or ASSUMED


def on(gpu: GPU) -> str:
    """Where it fails."""
    return f"on a {gpu.name}" if gpu.source != "given" else f"on a GPU with {amount(gpu.usable)} for tensors"


def usable(gpu: GPU) -> str:
    """`the 13.4 GiB of a T4`: what TensorFlow has of it."""
    return f"the {amount(gpu.usable)} of a {gpu.name}" if gpu.source != "given" else f"{amount(gpu.usable)}"
