"""What a distribution strategy changes: the batch is divided, weights and slots are not, gradients meet in a pack."""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import CONV, dense, estimate
from tests.oracle.memory_models import program

SCOPE = 'with tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"]).scope():\n'
MEASURED = (
    ("mlp", 16, "adam", 37_324_088), ("mlp", 256, "sgd", 23_168_144), ("normed", 4, "rmsprop", 6_568_792),
    ("transformer", 2, "adam", 20_736_788))
"""Bytes of a step as measured by tests/oracle/memory_replicas.py: TensorFlow 2.21, Keras 3.15.1, on a CPU."""


def scoped(text: str) -> str:
    """The program with its model made and compiled for two GPUs."""
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("from keras"))
    stop = next(place for place, line in enumerate(lines) if line.startswith("model.compile("))
    inside = ["    " + line for line in lines[start + 1:stop + 1]]
    return "\n".join(["import tensorflow as tf", *lines[:start + 1], SCOPE.rstrip(), *inside, *lines[stop + 1:]]) + "\n"


def spread(name: str, batch: int, optimizer: str) -> str:
    """One of the models that are measured, with so large a batch for each of two replicas."""
    text = program(name, batch, optimizer)
    assert f"batch_size={batch}" in text
    return scoped(text.replace(f"batch_size={batch}", f"batch_size={2 * batch}"))


@pytest.mark.parametrize(("name", "batch", "optimizer", "total"), MEASURED)
def test_totals_are_those_that_were_measured(name: str, batch: int, optimizer: str, total: int) -> None:
    made = estimate(spread(name, batch, optimizer))
    assert (made.replicas, made.counted, made.batch_size) == (2, batch, 2 * batch)
    assert made.terms.total == pytest.approx(total, rel=0.01)


def test_weights_and_slots_are_not_divided() -> None:
    alone, each = estimate(dense(CONV)), estimate(scoped(dense(CONV)))
    assert (alone.replicas, each.replicas) == (1, 2)
    assert (each.terms.weights, each.terms.optimizer) == (alone.terms.weights, alone.terms.optimizer)
    assert each.terms.activations == pytest.approx(alone.terms.activations / 2, rel=0.01)


def test_the_pack_is_told_where_it_counts() -> None:
    wide = "layers.Flatten(), " + ", ".join(["layers.Dense(512)"] * 4)
    alone, each = (estimate(text) for text in (dense(wide), scoped(dense(wide))))
    assert each.layers[0].label == "all-reduce"
    assert each.layers[0].bytes == pytest.approx(each.terms.weights, rel=0.01)
    assert each.terms.total - each.terms.input > alone.terms.total - alone.terms.input
    assert any("all-reduce" in text for text in each.assumptions)
    assert not any("all-reduce" in text for text in alone.assumptions)


@pytest.mark.parametrize("strategy", ['MirroredStrategy(["GPU:0"])', 'OneDeviceStrategy("GPU:0")'])
def test_a_strategy_of_one_replica_is_not_compiled_either(strategy: str) -> None:
    text = scoped(dense(CONV, '"adam", "mse"')).replace('MirroredStrategy(["GPU:0", "GPU:1"])', strategy)
    made = estimate(text)
    assert (made.regime, made.replicas) == ("op-by-op", 1)
    assert not any("all-reduce" in text for text in made.assumptions)


def test_of_what_xla_compiles_the_exchange_is_not_counted() -> None:
    made = estimate(scoped(dense(CONV, '"adam", "mse", jit_compile=True')))
    assert (made.regime, made.replicas) == ("XLA", 2)
    assert any("replicas exchange is not counted" in text for text in made.assumptions)
