"""What each loss refuses, in fit() and called by hand, is what our rule says it refuses, on both libraries."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from cudnnlint.frameworks.training.losses_called import shape
from cudnnlint.rules.losses import BINARY, KNOWN, ONE_HOT, SPARSE, fits
from cudnnlint.values import Tensor
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


CLASSES = {SPARSE: "SparseCategoricalCrossentropy", ONE_HOT: "CategoricalCrossentropy", BINARY: "BinaryCrossentropy",
           "mean_squared_error": "MeanSquaredError", "categorical_hinge": "CategoricalHinge",
           "kl_divergence": "KLDivergence", "huber": "Huber", "cosine_similarity": "CosineSimilarity",
           "binary_focal_crossentropy": "BinaryFocalCrossentropy"}


def called(keras: Any, loss: str, form: str, labels: tuple[int, ...], output: tuple[int, ...]) -> Any:
    """The shape that a loss gives when it is called, or None where it refuses."""
    import tensorflow as tf

    given = getattr(keras.losses, CLASSES[loss])
    callee = getattr(keras.losses, loss) if form == "function" else \
        given(reduction="none", **({"from_logits": True} if form == "logits" else {}))
    try:
        return tuple(callee(tf.zeros((BATCH, *labels)), tf.fill((BATCH, *output), 0.5)).shape)
    except Exception:
        return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["object", "function", "logits"])
@pytest.mark.parametrize("name", ["keras", "tf_keras"])
def test_a_loss_that_is_called_refuses_what_we_say_and_gives_what_we_say(name: str, form: str) -> None:
    keras, wrong = library(name), []
    losses = [loss for loss in CLASSES if form != "logits" or loss.endswith("crossentropy")]
    cases = [(loss, labels, output) for loss in losses for labels in LABELS for output in OUTPUTS
             if (name, loss, labels, output) != ("tf_keras", SPARSE, (), (1,))]
    for loss, labels, output in cases:
        real = called(keras, loss, form, labels, output)
        ours = fits(loss, (BATCH, *labels), (BATCH, *output), keras_3=name == "keras", probabilities=form == "logits",
                    logits=form == "logits",
                    form="function" if form == "function" else "object")
        if ours != (real is not None):
            wrong.append(f"{loss}: labels {labels}, output {output}: ours {ours}")
        told = shape(loss, Tensor((BATCH, *labels)), Tensor((BATCH, *output)), None)
        if ours and isinstance(told, tuple) and told != real:
            wrong.append(f"{loss}: labels {labels}, output {output} gives {real}, not {told}")
    assert not wrong, "\n".join(wrong)


def test_what_fails_with_open_extents_fails_with_every_number() -> None:
    """An extent that is not known is never a reason to refuse."""
    pairs = itertools.product(LABELS, (*OUTPUTS, (1, 10), ()), sorted(KNOWN), (True, False), ("fit", "object",
                                                                                              "function"))
    for labels, output, loss, keras_3, form in pairs:
        for batch in (1, 2, 7):
            t, o = (batch, *labels), (batch, *output)
            if not fits(loss, t, o, keras_3=keras_3, form=form):
                continue
            for hide_t, hide_o in itertools.product(range(len(t)), range(len(o))):
                open_t = tuple(None if i in (0, hide_t) else dim for i, dim in enumerate(t))
                open_o = tuple(None if i in (0, hide_o) else dim for i, dim in enumerate(o))
                assert fits(loss, open_t, open_o, keras_3=keras_3, form=form), (loss, t, o, open_t, open_o, form)
