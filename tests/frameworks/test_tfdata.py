"""tf.data pipelines: what one element is, how many there are, and what is told on the way."""

from __future__ import annotations

import pytest

from cudnnlint.events import INFINITE, DatasetBatched, FunctionApplied, Rejected, TrainingStarted
from cudnnlint.frameworks.tfdata.dataset import DatasetV
from cudnnlint.values import Problem, Tensor
from tests.interpret import events_of, names_of, of_kind

HEAD = """
import numpy as np
import tensorflow as tf
x, y = np.zeros((1000, 28, 28), "float32"), np.zeros(1000, "int64")
"""
SLICES = HEAD + "ds = tf.data.Dataset.from_tensor_slices((x, y))\n"


def dataset(text: str, name: str = "ds") -> DatasetV:
    value = names_of(text)[name]
    assert isinstance(value, DatasetV), value
    return value


def shown(value: object) -> str:
    """The structure of an element as users read it."""
    if isinstance(value, tuple):
        return "(" + ", ".join(shown(item) for item in value) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, DatasetV):
        return f"<{shown(value.element)}>"
    return str(value)


@pytest.mark.parametrize(("steps", "element", "cardinality"), [
    ("ds", "(float32[28, 28], int64[])", 1000),
    ("ds.batch(100)", "(float32[100, 28, 28], int64[100])", 10),
    ("ds.batch(32)", "(float32[B, 28, 28], int64[B])", 32),
    ("ds.batch(32, drop_remainder=True)", "(float32[32, 28, 28], int64[32])", 31),
    ("ds.batch(2000)", "(float32[1000, 28, 28], int64[1000])", 1),
    ("ds.repeat().batch(32)", "(float32[32, 28, 28], int64[32])", INFINITE),
    ("ds.batch(32).repeat()", "(float32[B, 28, 28], int64[B])", INFINITE),
    ("ds.batch(32).take(3)", "(float32[32, 28, 28], int64[32])", 3),
    ("ds.batch(32).shuffle(9).take(3)", "(float32[B, 28, 28], int64[B])", 3),
    ("ds.batch(32).repeat(2).take(40)", "(float32[B, 28, 28], int64[B])", 40),
    ("ds.batch(32).unbatch()", "(float32[28, 28], int64[])", 1000),
    ("ds.batch(40).batch(5)", "(float32[5, 40, 28, 28], int64[5, 40])", 5),
    ("ds.batch(32).batch(4, drop_remainder=True)", "(float32[4, None, 28, 28], int64[4, None])", 8),
    ("ds.skip(990).batch(4)", "(float32[B, 28, 28], int64[B])", 3),
    ("ds.shard(3, 0)", "(float32[28, 28], int64[])", 334),
    ("ds.enumerate(start=5)", "(int64[], (float32[28, 28], int64[]))", 1000),
    ("ds.map(lambda a, b: {'image': a[..., None], 'label': b})", "{image: float32[28, 28, 1], label: int64[]}", 1000),
    ("ds.map(lambda a, b: (tf.reshape(a, [-1]), tf.one_hot(b, 10))).batch(8)", "(float32[8, 784], float32[8, 10])",
     125),
    ("ds.map(lambda a, b: [a, a])", "(float32[28, 28], float32[28, 28])", 1000),
    ("ds.map(lambda a, b: (a, [b, b]))", "(float32[28, 28], int64[2])", 1000),
    ("ds.map(lambda *both: both[0])", "float32[28, 28]", 1000),
    ("ds.map(lambda whole: whole)", "?", 1000),
    ("ds.apply(lambda d: d.batch(10))", "(float32[10, 28, 28], int64[10])", 100),
    ("tf.data.Dataset.zip((ds, tf.data.Dataset.range(7)))", "((float32[28, 28], int64[]), int64[])", 7),
    ("tf.data.Dataset.zip(ds, ds.repeat())", "((float32[28, 28], int64[]), (float32[28, 28], int64[]))", 1000),
    ("tf.data.Dataset.range(10).window(4, shift=1, drop_remainder=True)", "<int64[]>", 7),
    ("tf.data.Dataset.range(10).window(4, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(4))", "int64[4]", 7),
    ("tf.data.Dataset.from_tensor_slices({'a': [1, 2], 'b': [[1.0], [2.0]]})", "{a: int32[], b: float32[1]}", 2),
    ("tf.data.Dataset.from_tensors(x)", "float32[1000, 28, 28]", 1),
    ("ds.concatenate(ds.take(5)).batch(5)", "(float32[5, 28, 28], int64[5])", 201),
    ("tf.data.Dataset.batch(ds, 10)", "(float32[10, 28, 28], int64[10])", 100),
    ("ds.batch(4).rebatch(10)", "(float32[10, 28, 28], int64[10])", 100),
    ("ds.apply(tf.data.experimental.map_and_batch(lambda a, b: a, 10))", "float32[10, 28, 28]", 100),
    ("tf.data.experimental.make_csv_dataset('a.csv', 16, label_name='y')", "(?, ?[16])", INFINITE),
])
def test_an_element_and_the_count(steps: str, element: str, cardinality: object) -> None:
    ds = dataset(SLICES + f"ds = {steps}\n")
    assert shown(ds.element) == element
    assert ds.cardinality == cardinality


@pytest.mark.parametrize("steps", [
    "ds.filter(lambda a, b: b > 0)", "ds.take(np.random.randint(9))", "ds.repeat(int(input()))",
    "ds.interleave(lambda a, b: tf.data.TFRecordDataset('f'))", "tf.data.TFRecordDataset('f')",
    "tf.data.Dataset.list_files('*.png')", "ds.take_while(lambda a, b: b < 3)",
])
def test_a_count_that_depends_on_the_data_is_not_known(steps: str) -> None:
    count = dataset(SLICES + f"ds = {steps}\n").cardinality
    assert not isinstance(count, int)
    assert count != INFINITE


def test_batching_is_told_with_the_rows_before() -> None:
    batched = of_kind(events_of(SLICES + "ds = ds.take(100).batch(128, drop_remainder=True)\n"), DatasetBatched)
    assert [(event.batch_size, event.rows, event.drop_remainder) for event in batched] == [(128, 100, True)]


def test_a_batch_size_of_an_option_is_an_assumption() -> None:
    text = HEAD + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=50)
args = parser.parse_args()
ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(args.batch_size)
a, b = next(iter(ds))
"""
    (event,) = of_kind(events_of(text), DatasetBatched)
    assert event.batch_size == 50
    assert any("--batch-size" in text for text in event.assumptions)
    value = names_of(text)["a"]
    assert value.shape == (50, 28, 28)
    assert [assumption.text for assumption in value.assumptions] == list(event.assumptions)


def test_the_last_batch_is_not_taken_for_the_others() -> None:
    seen = of_kind(events_of(SLICES + "for a, b in ds.batch(32):\n    tf.nn.relu(a)\n"), FunctionApplied)
    assert [str(event.output) for event in seen] == ["float32[32, 28, 28]", "float32[8, 28, 28]"]


def test_a_loop_over_one_batch_runs_once() -> None:
    names = names_of(SLICES + "for a, b in ds.batch(32).take(1):\n    first = a\n")
    assert str(names["first"]) == "float32[32, 28, 28]"


def test_arrays_of_different_length_are_refused() -> None:
    (event,) = of_kind(events_of(HEAD + "tf.data.Dataset.from_tensor_slices((x, y[:900]))\n"), Rejected)
    assert event.mismatch.problem is Problem.MERGE
    assert event.mismatch.message == "arrays with 1000 and 900 rows are sliced together"


def test_paths_that_batch_differently_leave_the_batch_open() -> None:
    ds = dataset(SLICES + "ds = ds.batch(10) if input() else ds.batch(20)\n")
    assert str(ds.element[0]) == "float32[?, 28, 28]"
    assert not isinstance(ds.cardinality, int)


def test_fit_gets_one_batch_of_the_dataset() -> None:
    text = SLICES + """
model = tf.keras.Sequential([tf.keras.Input((28, 28)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
model.compile(loss="sparse_categorical_crossentropy")
model.fit(ds.batch(50).repeat(), steps_per_epoch=10)
model.fit(ds)
"""
    first, second = of_kind(events_of(text), TrainingStarted)
    assert (str(first.data.x), str(first.data.y)) == ("float32[50, 28, 28]", "int64[50]")
    assert (first.data.kind, first.data.batches, first.data.batched) == ("dataset", INFINITE, True)
    assert second.data.batched is False


def test_an_endless_generator_makes_an_endless_dataset() -> None:
    text = HEAD + """
def endless():
    while True:
        yield np.zeros((28, 28)), 1
def finite():
    for i in range(6):
        yield np.zeros((28, 28)), i
signature = (tf.TensorSpec(shape=(28, None), dtype=tf.float32), tf.TensorSpec((), tf.int32))
ds = tf.data.Dataset.from_generator(endless, output_signature=signature)
six = tf.data.Dataset.from_generator(finite, output_types=(tf.float32, tf.int32), output_shapes=((28, 28), ()))
"""
    assert dataset(text).cardinality == INFINITE
    assert shown(dataset(text).element) == "(float32[28, 28], int32[])"
    assert dataset(text, "six").cardinality == 6


def test_next_gives_one_element() -> None:
    names = names_of(SLICES + "a, b = next(iter(ds.batch(10)))\nn = len(ds.batch(10))\nc = ds.cardinality().numpy()\n")
    assert (str(names["a"]), names["n"], names["c"]) == ("float32[10, 28, 28]", 100, 1000)


def test_the_steps_lead_back_to_the_array() -> None:
    element = dataset(SLICES + "ds = ds.batch(10)\n").element[0]
    lines = []
    while isinstance(element, Tensor) and element.step is not None:
        lines.append((element.step.span.line, str(element)))
        element = element.step.parents[0] if element.step.parents else None
    assert lines == [(6, "float32[10, 28, 28]"), (5, "float32[28, 28]"), (4, "float32[1000, 28, 28]")]
