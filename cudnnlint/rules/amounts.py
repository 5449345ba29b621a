"""GPUs and amounts of memory as rules speak of them."""

from __future__ import annotations

from cudnnlint.memory.gpus import ASSUMED, GIB, GPU, MIB, find

SURELY = 1.05
"""What must be exceeded by: idle machines differ by a few percent in what they leave to TensorFlow."""


def gpu_of(name: str) -> GPU:
    """The configured GPU; the assumed one for a name that is not known."""
    return find(name) or ASSUMED


def amount(size: float) -> str:
    """In the unit that reads best.

    >>> amount(20 << 30), amount(1536 << 20), amount(300 << 20)
    ('20.0 GiB', '1.50 GiB', '300 MiB')
    """
    value, unit = (size / GIB, "GiB") if size >= GIB else (size / MIB, "MiB")
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def usable(gpu: GPU) -> str:
    """`the 13.4 GiB of a T4`: what TensorFlow has of it."""
    return f"the {amount(gpu.usable)} of a {gpu.name}" if gpu.source != "given" else f"{amount(gpu.usable)}"
