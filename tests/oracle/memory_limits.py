"""The largest batch for which a training step really passes, with so much memory and no more.

TF_CPU_BFC_MEM_LIMIT_IN_MB limits the allocator (tensorflow/core/common_runtime/process_state.cc). Each attempt is a
process of its own: once memory has run out, it is fragmented; and not that which traced the step, whose model holds its
variables too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.oracle.memory_kept import OUT_OF_MEMORY
from tests.oracle.memory_models import filled
from tests.oracle.memory_runs import ALL

LIMITS: tuple[tuple[str, str, int], ...] = (
    ("convolved", "adam", 500), ("convolved", "adam", 1000), ("separable", "adam", 500), ("widening", "adam", 500),
    ("decoder", "adam", 500), ("joined", "adam", 500), ("stacked", "adam", 300), ("attending", "adam", 500),
    ("segments", "adam", 500), ("gated", "sgd", 700), ("tcn", "adam", 300), ("translator", "adam", 300),
    ("autoencoder", "adam", 300), ("resnet", "adam", 400), ("mobilenet", "sgd", 400), ("excited", "rmsprop", 300),
    ("transformer", "adam", 400), ("vgg", "sgd", 700), ("unet", "adam", 400), ("normed", "adam", 200),
    ("siamese", "adam", 300), ("dense", "adam", 300))
"""(program, optimizer, MiB); none with Conv3D, whose gradients unfold on a CPU what a GPU does not (docs/memory.md)"""
KEEP = """
sys.argv = sys.argv[:1]
from tests.oracle import memory_kept, memory_step as step
model, x, y = step.build(source)
model.optimizer.build(model.trainable_variables)
steps = 1 + (model.optimizer.gradient_accumulation_steps or 1)
memory_kept.keep(folder, step.traced(model, x, y, build=False), step.tf.nest.flatten((x, y)), steps)
"""
"""Gradients that are summed change a weight in the last of so many steps only, and that one takes more."""


def passes(name: str, optimizer: str, limit: int, batch: int) -> bool:
    """Whether the steps run; any other failure than that of memory is raised."""
    with tempfile.TemporaryDirectory() as folder:
        text = f"import sys\nsource, folder = {filled(ALL[name], batch, optimizer)!r}, {folder!r}\n{KEEP}"
        _run("-c", text)
        done = _run(Path(__file__).with_name("memory_kept.py"), folder, TF_CPU_BFC_MEM_LIMIT_IN_MB=str(limit))
    return done == 0


def _run(*arguments: object, **settings: str) -> int:
    done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings})
    if done.returncode not in (0, OUT_OF_MEMORY if settings else 0):
        raise RuntimeError(done.stderr[-2000:])
    return done.returncode


def largest(name: str, optimizer: str, limit: int) -> int:
    low, high = 1, 2
    while passes(name, optimizer, limit, high):
        low, high = high, 2 * high
    while high - low > max(1, low // 50):
        middle = (low + high) // 2
        low, high = (middle, high) if passes(name, optimizer, limit, middle) else (low, middle)
    return low
