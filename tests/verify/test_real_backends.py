"""Findings put to Keras on JAX and on PyTorch, where these are installed beside the Keras that the tests run with."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec

import pytest

from cudnnlint.engine.environment import site_packages
from cudnnlint.engine.settings import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Verification
from cudnnlint.source import Source
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.run import verified

BACKENDS = ("jax", "torch")
PROGRAM = """\
import keras
import numpy as np
from keras import layers

layers.Conv2D(32, 11)(keras.Input((8, 8, 3)))
layers.Dense(10, colour=3)
layers.BatchNormalization(epsilon=0)
model = keras.Sequential([keras.Input((4,)), layers.Dense(10, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(np.zeros((8, 4)), np.zeros((8, 10)))
x = keras.Input((6, 3), batch_size=4)
state = keras.Model(x, layers.Dense(2)(layers.LSTM(5, stateful=True)(x)))
state.compile("adam", "mse")
state.predict(np.zeros((1, 6, 3)), batch_size=1)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_fails_is_confirmed(backend: str) -> None:
    if find_spec("keras") is None or find_spec(backend) is None:
        pytest.skip(f"Keras on {backend} is not installed here")
    found = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert found is not None
    alone = replace(found, found=frozenset({"keras", backend}))
    program = check_source(Source.from_text("m.py", PROGRAM), Settings(keras=version("keras")))
    told: dict[int, Verification | None] = {each.span.line: each.verification for each in verified(program, alone)}
    assert {line: each.verdict for line, each in told.items() if each} == dict.fromkeys(
        (5, 6, 7, 10, 14), "confirmed"), told
    assert all(each is not None and each.backend.startswith("Keras ") and each.device == "CPU"
               for each in told.values())
