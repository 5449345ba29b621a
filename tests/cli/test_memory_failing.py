"""A failure of ours in one estimate is told as such, and the others are told all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cudnnlint.frameworks.training.estimates import Request
from cudnnlint.memory.step import Asked
from tests.cli.conftest import Run
from tests.cli.test_memory import FIT, NET

STEP = """import keras
import numpy as np
import tensorflow as tf

class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(4)

    def call(self, x):
        return self.dense(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_weights), self.trainable_weights))
        return {"loss": loss}

own = Own()
own.compile("adam")
own.fit(np.zeros((64, 8), "float32"), np.zeros((64, 4), "float32"))
"""


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither steps of a program's own nor a batch of 7 can be estimated."""
    working = Request._estimate

    def fails(self: Request, batch: int | None, gpus: int, timeline: bool) -> Any:
        if self.steps or self.model.name == "own" or self.batch() == 7:
            raise KeyError("a bug")
        return working(self, batch, gpus, timeline)

    monkeypatch.setattr(Request, "_estimate", fails)


@pytest.mark.usefixtures("broken")
def test_it_is_no_program_without_training_calls(run: Run, here: Path) -> None:
    (here / "own.py").write_text(STEP)
    result = run("memory", "own.py")
    assert result.exit_code == 2 and "no training calls" not in result.stderr
    assert "own.py:22: internal error in the estimate of model.fit(...): KeyError: 'a bug'" in result.stderr
    assert "no training call" not in result.stdout, "nor is the model told as one that nothing trains"


@pytest.mark.usefixtures("broken")
def test_the_other_calls_are_told(run: Run, here: Path) -> None:
    (here / "own.py").write_text(STEP)
    (here / "net.py").write_text(FIT + FIT.splitlines()[-1].replace("512", "7") + "\n")
    result = run("memory", "own.py", "net.py")
    assert result.exit_code == 2 and result.stderr.count("internal error") == 2
    assert "net.py:14: internal error in the estimate of model.fit(...)" in result.stderr
    assert "net.py:13  model.fit(...)  net, batch 512" in result.stdout


def test_a_model_that_nothing_trains_fails_alone(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cudnnlint.memory import models

    working = models.estimate

    def fails(asked: Asked) -> Any:
        if asked.model.name == "other":
            raise ZeroDivisionError("by nothing")
        return working(asked)

    monkeypatch.setattr(models, "estimate", fails)
    (here / "net.py").write_text(
        NET + 'other = keras.Sequential([keras.Input((4,)), layers.Dense(2)], name="other")\n')
    result = run("memory", "net.py")
    assert result.exit_code == 2
    assert "net.py:11: internal error in the estimate of other: ZeroDivisionError: by nothing" in result.stderr
    assert "net.py:5  model.fit(...)  net" in result.stdout
