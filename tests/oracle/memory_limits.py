"""The largest batch for which a training step really passes, with so much memory and no more.

TF_CPU_BFC_MEM_LIMIT_IN_MB limits the allocator (tensorflow/core/common_runtime/process_state.cc). Each attempt is a
process of its own: once memory has run out, it is fragmented.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.oracle.memory_models import filled
from tests.oracle.memory_runs import ALL

LIMITS: tuple[tuple[str, str, int], ...] = (
    ("convolved", "adam", 500), ("convolved", "adam", 1000), ("separable", "adam", 500), ("widening", "adam", 500),
    ("decoder", "adam", 500), ("joined", "adam", 500), ("stacked", "adam", 300), ("attending", "adam", 500),
    ("segments", "adam", 500), ("gated", "sgd", 700), ("tcn", "adam", 300), ("translator", "adam", 300),
    ("autoencoder", "adam", 300), ("resnet", "adam", 400), ("mobilenet", "sgd", 400), ("excited", "rmsprop", 300),
    ("transformer", "adam", 400), ("vgg", "sgd", 700), ("unet", "adam", 400), ("normed", "adam", 200),
    ("siamese", "adam", 300), ("dense", "adam", 300))
"""(program, optimizer, MiB)"""
TWICE = """
sys.argv = sys.argv[:1]
from tests.oracle import memory_step as step
model, x, y = step.build(source)
model.optimizer.build(model.trainable_variables)
traced = step.traced(model, x, y, build=False)
started, fetches, fed, given, _ = step.session(traced)
feeds = {**given, **dict(zip(fed, step.tf.nest.flatten((x, y)), strict=True))}
try:
    for _ in range(2):
        started.run(fetches, feeds)
except step.tf.errors.ResourceExhaustedError:
    sys.exit(9)
"""


def passes(name: str, optimizer: str, limit: int, batch: int) -> bool:
    """Whether two steps run; any other failure than that of memory is raised."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "attempt.py")
        path.write_text(f"import sys\nsource = {filled(ALL[name], batch, optimizer)!r}\n{TWICE}")
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False, env={
            **os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TF_CPU_BFC_MEM_LIMIT_IN_MB": str(limit)})
    if done.returncode not in (0, 9):
        raise RuntimeError(done.stderr[-2000:])
    return done.returncode == 0


def largest(name: str, optimizer: str, limit: int) -> int:
    low, high = 1, 2
    while passes(name, optimizer, limit, high):
        low, high = high, 2 * high
    while high - low > max(1, low // 50):
        middle = (low + high) // 2
        low, high = (middle, high) if passes(name, optimizer, limit, middle) else (low, middle)
    return low
