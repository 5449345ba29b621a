"""Inferred pipelines against TensorFlow's own: every element, dtype, extent and count."""

from __future__ import annotations

import random

import pytest

from tests.frameworks.real_data import differences, run, tensorflow

pytestmark = pytest.mark.skipif(tensorflow() is None, reason="tensorflow is not installed")

PIPELINES = [
    "ds = tf.data.Dataset.from_tensor_slices([np.zeros((4, 2)), np.ones((4, 2))])",
    "ds = tf.data.Dataset.from_tensor_slices({'a': np.zeros((5, 2)), 'b': [1.0] * 5}).batch(2)",
    "ds = tf.data.Dataset.range(2, 20, 3).map(lambda i: (i, 1, 0.5, True, 'text'))",
    "ds = tf.data.Dataset.range(10).window(3, shift=2, stride=2).map(lambda w: 0)",
    "ds = tf.data.Dataset.range(10).window(3, shift=2, stride=2, drop_remainder=True).map(lambda w: 0)",
    "ds = tf.data.Dataset.range(10).window(3, 1, drop_remainder=True).flat_map(lambda w: w.batch(3)).batch(4)",
    "ds = tf.data.Dataset.from_tensor_slices((np.zeros((9, 2)), np.zeros(9))).window(3).flat_map("
    "lambda a, b: tf.data.Dataset.zip((a.batch(3), b.batch(3))))",
    "ds = tf.data.Dataset.range(1, 6).map(lambda i: tf.fill([i], i)).padded_batch(2)",
    "ds = tf.data.Dataset.range(1, 6).map(lambda i: tf.fill([i], i)).padded_batch("
    "2, padded_shapes=[7], drop_remainder=True)",
    "ds = tf.data.Dataset.from_tensor_slices(np.zeros((6, 4))).padded_batch(3, padded_shapes=[9])",
    "ds = tf.data.Dataset.from_generator(lambda: iter([1, 2]), output_types=tf.int32)",
    "ds = tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3).repeat(), tf.data.Dataset.range(4)])",
    "ds = tf.data.Dataset.choose_from_datasets([tf.data.Dataset.range(3)] * 2, tf.data.Dataset.range(2).repeat(2))",
    "ds = tf.data.Dataset.range(8).scan(np.int64(0), lambda state, i: (state + i, tf.stack([state, i])))",
    "ds = tf.data.Dataset.range(9).filter(lambda i: i % 2 == 0)\n"
    "ds = ds.apply(tf.data.experimental.assert_cardinality(5)).batch(2)",
    "ds = tf.data.Dataset.range(10).group_by_window(lambda i: i % 2, lambda key, w: w.batch(2), window_size=2)",
    "ds = tf.data.Dataset.range(4).map(lambda i: tf.fill([i], i)).bucket_by_sequence_length("
    "lambda t: tf.shape(t)[0], [2], [2, 2])",
    "ds = tf.data.Dataset.range(3).concatenate(tf.data.Dataset.range(2)).batch(5)",
    "ds = tf.data.Dataset.from_tensor_slices(np.zeros((8, 3))).batch(4, True).concatenate("
    "tf.data.Dataset.from_tensor_slices(np.zeros((6, 3))).batch(3, True))",
    "import functools\ndef f(scale, a, b):\n    return a * scale, b\n"
    "ds = tf.data.Dataset.from_tensor_slices((np.zeros((6, 3), 'float32'), [0] * 6))\n"
    "ds = ds.map(functools.partial(f, 2.0)).batch(2)",
    "ds = tf.keras.utils.timeseries_dataset_from_array(np.zeros((100, 5)), np.zeros((100, 2)), 10)",
    "ds = tf.keras.utils.timeseries_dataset_from_array(np.zeros((100, 5)), None, 10, 3, 2, batch_size=8)",
    "ds = tf.keras.utils.timeseries_dataset_from_array(np.zeros((100, 5)), np.zeros(50), 10, batch_size=10)",
    "ds = tf.keras.utils.timeseries_dataset_from_array(np.zeros((60, 5)), np.zeros(60), 4, start_index=5, end_index=48,"
    " batch_size=None)",
]


@pytest.mark.parametrize("text", PIPELINES)
def test_a_pipeline_is_what_tensorflow_makes_of_it(text: str) -> None:
    assert not list(differences(text))


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
