"""Estimates of memory against the real step: TensorFlow on the CPU with the allocator and order of a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.memory.compared import advised
from tests.memory.test_estimates import KEPT_IN_LOOPS, estimate
from tests.oracle.harness import installed_stack
from tests.oracle.memory_limits import LIMITS, passes
from tests.oracle.memory_models import MODELS, program

SCRIPT = Path(__file__).with_name("memory_step.py")
FEW = (("plain", 4, "sgd"), ("normed", 4, "rmsprop"), ("unet", 1, "adam"), ("transformer", 2, "adam"))
MANY = tuple((name, batch, optimizer) for name in MODELS for batch in (2, 8)
             for optimizer in ("sgd", "adam", "rmsprop"))


def measured(runs: tuple[tuple[str, int, str], ...], folder: Path, library: str) -> list[int]:
    """Bytes of each program's step, all measured in one process of their own."""
    files = []
    for name, batch, optimizer in runs:
        files.append(folder / f"{name}-{batch}-{optimizer}.py")
        files[-1].write_text(program(name, batch, optimizer, library))
    done = subprocess.run([sys.executable, SCRIPT, *files], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line)["total"] for line in done.stdout.splitlines()]


def compare(runs: tuple[tuple[str, int, str], ...], folder: Path, library: str = "keras") -> None:
    errors = {}
    for (name, batch, optimizer), total in zip(runs, measured(runs, folder, library), strict=True):
        ours = estimate(program(name, batch, optimizer, library), stack=installed_stack(library)).terms.total
        errors[name, batch, optimizer] = abs(ours / total - 1)
    wrong = {run: error for run, error in errors.items() if error > (0.05 if run[0] in KEPT_IN_LOOPS else 0.015)}
    assert not wrong


def test_a_step_takes_what_was_estimated(tmp_path: Path) -> None:
    compare(FEW, tmp_path)


def test_a_step_of_keras_2_takes_what_was_estimated(tmp_path: Path) -> None:
    compare((("unet", 2, "adam"), ("normed", 16, "adam")), tmp_path, "tf_keras")


@pytest.mark.long
def test_every_model_and_optimizer(tmp_path: Path) -> None:
    compare(MANY, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("limit", LIMITS[:4])
def test_the_advised_batch_passes(limit: tuple[str, str, int]) -> None:
    batch = advised(*limit)
    assert passes(*limit, batch) and not passes(*limit, 2 * batch)
