"""Estimates beside what was measured: the frozen numbers, and how a program is estimated for each regime."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

from cudnnlint.frameworks.training import estimates
from cudnnlint.memory.estimate import Estimate
from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import filled
from tests.oracle.memory_runs import ALL

FROZEN = Path(__file__).with_name("frozen.json")
"""Written by benchmarks/memory.py --freeze: TensorFlow 2.21, Keras 3.15.1; their graphs by the XLA of
jax 0.10.2 for a T4."""


def frozen(kind: str) -> dict[str, int]:
    found: dict[str, int] = json.loads(FROZEN.read_text())[kind]
    return found


def estimated(source: str, kind: str = "known") -> Estimate:
    """For "steps" as if there were a row more than fill the batches, of which the graph then does not know the size."""
    if kind == "xla":
        return estimate(source.replace("jit_compile=False", "jit_compile=True"))
    with patch.object(estimates, "divides_rows", lambda *_: False) if kind == "steps" else nullcontext():
        return estimate(source)


def advised(name: str, optimizer: str, limit: int) -> int:
    """The largest batch of a program for so many MiB, by our account."""
    return estimated(filled(ALL[name], 8, optimizer)).largest(limit << 20)
