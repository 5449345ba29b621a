"""Inferred pipelines against TensorFlow's own: every element, dtype, extent and count."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cudnnlint.events import Rejected
from tests.frameworks.real_data import HEAD, differences, run, tensorflow
from tests.interpret import events_of, of_kind

pytestmark = pytest.mark.skipif(tensorflow() is None, reason="tensorflow is not installed")

PIPELINES = Path(__file__).with_name("pipelines.txt").read_text(encoding="utf-8").split("\n---\n")


@pytest.mark.parametrize("text", PIPELINES)
def test_a_pipeline_is_what_tensorflow_makes_of_it(text: str) -> None:
    assert not list(differences(text))


PAIRS = "tf.data.Dataset.from_tensor_slices((np.zeros((5, 3)), np.zeros(5)))"


@pytest.mark.parametrize(("steps", "message"), [
    ("map(lambda x: x)", "map() calls the function with 2 arguments, it takes 1"),
    ("map(lambda x, y, z: x)", "map() calls the function with 2 arguments, it takes 3"),
    ("filter(lambda x: True)", "filter() calls the function with 2 arguments, it takes 1"),
    ("map(lambda x, y: {'x': x, 'y': y}).map(lambda x, y: x)", "map() calls the function with 1 argument, it takes 2"),
    ("unbatch()", "unbatch needs elements with at least 1 axis, a scalar is among them"),
    ("padded_batch(2, ([None, 3], []))", "padded_batch: float64[3] cannot be padded to [None, 3]"),
    ("padded_batch(2, ([2], []))", "padded_batch: float64[3] cannot be padded to [2]"),
    ("map(lambda x, y: x).concatenate(tf.data.Dataset.range(3))",
     "concatenate: float64[3] in one dataset, int64[] in the other"),
    ("concatenate(tf.data.Dataset.range(3))", "concatenate: elements are tuples of 2 in one dataset and tensors in the "
                                              "other"),
])
def test_what_tensorflow_refuses_is_told(steps: str, message: str) -> None:
    text = f"ds = {PAIRS}.{steps}"
    assert run(text) is None
    told = [event.mismatch.message for event in of_kind(events_of(HEAD + text), Rejected)]
    assert told == [message]


SOURCES = [
    "tf.data.Dataset.from_tensor_slices((np.zeros(({n}, 4, 3), 'float32'), np.arange({n})))",
    "tf.data.Dataset.from_tensor_slices(np.zeros(({n}, 6)))", "tf.data.Dataset.range({n})",
    "tf.data.Dataset.from_tensor_slices({{'a': np.zeros(({n}, 2)), 'b': [1] * {n}}})",
    "tf.data.Dataset.zip((tf.data.Dataset.range({n}), tf.data.Dataset.range(7)))",
    "tf.data.Dataset.from_tensors(np.zeros(({n}, 3)))",
]
STEPS = [
    "batch({k})", "batch({k}, drop_remainder=True)", "repeat({k})", "repeat()", "take({k})", "take(-1)", "take(0)",
    "skip({k})", "skip(-1)", "shuffle(10)", "prefetch(1)", "shard({k}, 0)", "unbatch()", "enumerate()", "rebatch({k})",
    "filter(lambda *a: True)", "map(lambda *a: a)", "map(lambda *a: a[0])", "rebatch({k}, drop_remainder=True)",
    "concatenate(ds.take({k}))", "padded_batch({k})", "interleave(lambda *a: tf.data.Dataset.from_tensors(a))",
    "flat_map(lambda *a: tf.data.Dataset.from_tensors(a).repeat({k}))",
]


def chain(seed: int) -> str:
    """A pipeline of random steps."""
    rng = random.Random(seed)
    lines = [f"ds = {rng.choice(SOURCES).format(n=rng.choice([0, 1, 5, 8, 12, 13]))}"]
    for _ in range(rng.randint(1, 5)):
        lines.append(f"ds = ds.{rng.choice(STEPS).format(k=rng.choice([1, 2, 3, 4, 5, 20]))}")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 400))])
def test_a_random_chain_is_what_tensorflow_makes_of_it(seed: int) -> None:
    text = chain(seed)
    if run(text) is None:
        pytest.skip("TensorFlow refuses it")
    assert not list(differences(text)), text
