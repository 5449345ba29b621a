"""What fit() refuses for each loss and pair of shapes is what our rule says it refuses, on both libraries."""

from __future__ import annotations

import math
from typing import Any

import pytest

from cudnnlint.rules.losses import BINARY, KNOWN, ONE_HOT, SPARSE, fits
from tests.oracle.harness import library

BATCH = 7
OUTPUTS = ((1,), (2,), (10,), (5, 10), (5, 1), (4, 4, 1), (4, 4, 3))
LABELS = ((), (1,), (2,), (10,), (5,), (5, 1), (5, 10), (4, 4), (4, 4, 1), (8, 8, 1), (1, 1))


def model(keras: Any, output: tuple[int, ...], activation: str) -> Any:
    """A model with outputs of this shape; with one axis they come straight from the activation."""
    x = keras.Input((3,))
    y = keras.layers.Dense(math.prod(output), activation=activation)(x)
    return keras.Model(x, keras.layers.Reshape(output)(y) if len(output) > 1 else y)


def trains(keras: Any, made: Any, loss: str, labels: tuple[int, ...]) -> bool:
    import numpy as np

    made.compile(optimizer="sgd", loss=loss, run_eagerly=True)
    try:
        made.train_on_batch(np.zeros((BATCH, 3), "float32"), np.zeros((BATCH, *labels), "float32"))
    except Exception:
        return False
    return True


FEW = (SPARSE, ONE_HOT, BINARY, "mean_squared_error")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("losses", [FEW, pytest.param(sorted(KNOWN - {*FEW}), marks=pytest.mark.long)],
                         ids=["few", "rest"])
@pytest.mark.parametrize("activation", ["softmax", "linear"])
@pytest.mark.parametrize("name", ["keras", "tf_keras"])
def test_labels_fit_as_the_library_says(name: str, activation: str, losses: list[str]) -> None:
    keras = library(name)
    wrong = []
    for output in OUTPUTS:
        made = model(keras, output, activation)
        for loss in losses:
            for labels in LABELS:
                ours = fits(loss, (BATCH, *labels), (BATCH, *output), keras_3=name == "keras",
                            probabilities=activation == "softmax" and len(output) == 1)
                if ours != trains(keras, made, loss, labels):
                    wrong.append(f"{loss}: labels {labels}, output {output}: ours {ours}")
    assert not wrong, "\n".join(wrong)
