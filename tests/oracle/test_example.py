"""The mistakes of the shipped example are real: each alone stops Keras, and without them it trains."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.harness import library

SCRIPT = Path(__file__).parents[2] / "examples" / "train.py"
MENDED = {
    "empty-feature-map": ("layers.Conv2D(256, 7,", "layers.Conv2D(256, 3,"),
    "unknown-layer-argument": (", workers=4)", ")"),
    "endless-training-data": ("model.fit(train,", "model.fit(train, steps_per_epoch=2,"),
}
BATCHES, LIMIT = 2, 12


class StillRunningError(Exception):
    """One epoch took more batches than there are."""


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`train(mistake)`: runs the script with that mistake only, on a few rows of noise."""
    keras = library("keras")
    if keras is None:
        pytest.skip("keras with tensorflow is not installed")
    import numpy as np

    noise = np.random.default_rng(0)
    data = noise.integers(0, 256, (BATCHES * 8, 32, 32, 3), "uint8"), noise.integers(0, 10, (BATCHES * 8, 1), "uint8")

    class Watch(keras.callbacks.Callback):  # type: ignore[misc]
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if batch >= LIMIT:
                raise StillRunningError

    monkeypatch.setattr(keras.datasets.cifar10, "load_data", lambda: (data, data))
    monkeypatch.setattr(sys, "argv", ["train.py", "--epochs", "1", "--batch-size", "8"])
    monkeypatch.chdir(tmp_path)

    def run(mistake: str | None) -> None:
        code = SCRIPT.read_text(encoding="utf-8")
        for name, (wrong, right) in MENDED.items():
            assert code.count(wrong) == 1
            code = code if name == mistake else code.replace(wrong, right)
        code = code.replace("epochs=args.epochs", "verbose=0, callbacks=[Watch()], epochs=args.epochs")
        exec(compile(code, str(SCRIPT), "exec"), {"__name__": "__main__", "Watch": Watch})

    return run


def test_the_feature_map_is_empty(train: Any) -> None:
    with pytest.raises(ValueError, match="Computed output size would be"):
        train("empty-feature-map")


def test_keras_3_has_no_workers(train: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'workers'"):
        train("unknown-layer-argument")


def test_the_training_does_not_end(train: Any) -> None:
    with pytest.raises(StillRunningError):
        train("endless-training-data")


def test_the_mended_script_trains(train: Any, tmp_path: Path) -> None:
    train(None)
    assert (tmp_path / "small_resnet.keras").exists()
