"""What fit() is fed with, as the structure of one batch."""

from __future__ import annotations

import pytest

from cudnnlint.events import INFINITE, Data, TrainingStarted
from cudnnlint.frameworks.training.rows import uneven
from cudnnlint.values import Stack, Tensor
from tests.interpret import events_of, of_kind

HEAD = """
import numpy as np
import tensorflow as tf
from tensorflow import keras
x, y = np.zeros((1000, 8)), np.zeros(1000, "int64")
model = keras.Sequential([keras.layers.Dense(4)])
model.compile(loss="mse")
"""
KERAS_2 = Stack(keras=(2, 15), tensorflow=(2, 15))


def fed(text: str, stack: Stack | None = None) -> Data:
    return of_kind(events_of(HEAD + text, stack), TrainingStarted)[-1].data


def parts(data: Data) -> tuple[str, ...]:
    return tuple(str(part) for part in (data.x, data.y, data.weights))


@pytest.mark.parametrize(("call", "x", "batches"), [
    ("fit(x, y, batch_size=100)", "float32[100, 8]", 10),
    ("fit(x, y)", "float32[B, 8]", 32),
    ("fit(x, y, batch_size=64)", "float32[B, 8]", 16),
    ("fit(x[:20], y[:20])", "float32[20, 8]", 1),
    ("fit(x.astype('float16'), y, batch_size=10)", "float32[10, 8]", 100),
    ("fit(np.zeros((10, 8), 'int32'), y[:10])", "int32[10, 8]", 1),
    ("train_on_batch(x, y)", "float64[1000, 8]", 1),
])
def test_arrays_are_cut_into_batches(call: str, x: str, batches: int) -> None:
    data = fed(f"model.{call}\n")
    assert (str(data.x), data.batches, data.kind) == (x, batches, "arrays")


def test_several_inputs_keep_their_structure() -> None:
    data = fed("model.fit({'a': x, 'b': x[:, :3]}, [y, x], sample_weight=np.ones(1000), batch_size=10)\n")
    assert {name: str(tensor) for name, tensor in data.x.items()} == {"a": "float32[10, 8]", "b": "float32[10, 3]"}
    assert [str(tensor) for tensor in data.y] == ["int64[10]", "float32[10, 8]"]
    assert str(data.weights) == "float32[10]"


def test_lists_of_numbers_are_arrays_in_keras_2_only() -> None:
    text = "model.fit([[1.0, 2.0], [3.0, 4.0]], [0, 1])\n"
    assert str(fed(text, KERAS_2).x) == "float32[2, 2]"
    assert not isinstance(fed(text).x, Tensor)


def test_unknown_data_stays_unknown() -> None:
    data = fed("model.fit(open('x').read())\n")
    assert (data.kind, parts(data)[0]) == ("unknown", "?")


def test_labels_are_known_beside_unknown_data() -> None:
    data = fed("model.fit(open('x').read(), y, batch_size=10)\n")
    assert (data.kind, data.rows, parts(data)) == ("arrays", 1000, ("?", "int64[10]", "None"))


@pytest.mark.parametrize(("body", "expected", "batches"), [
    ("    while True:\n        yield x[:32], y[:32]\n", ("float64[32, 8]", "int64[32]", "None"), INFINITE),
    ("    for i in range(0, 1000, 100):\n        yield x[i:i + 100], y[i:i + 100]\n",
     ("float64[100, 8]", "int64[100]", "None"), 10),
    ("    for path in open('files'):\n        yield np.zeros((4, 8)), np.zeros(4), np.ones(4)\n",
     ("float64[4, 8]", "float64[4]", "float64[4]"), None),
    ("    while True:\n        for i in range(0, 100, 32):\n            yield x[:100][i:i + 32],\n",
     ("float64[?, 8]", "None", "None"), INFINITE),
    ("    while True:\n        try:\n            yield x[:32], y[:32]\n"
     "        except ValueError:\n            return\n",
     ("float64[32, 8]", "int64[32]", "None"), None),
    ("    if input():\n        while True:\n            yield x[:8], y[:8]\n    yield x[:8], y[:8]\n",
     ("float64[8, 8]", "int64[8]", "None"), None),
    ("    i = 0\n    while True:\n        yield x[i:i + 32], y[i:i + 32]\n        i = (i + 32) % 1000\n",
     ("float64[?, 8]", "int64[?]", "None"), INFINITE),
])
def test_a_generator_gives_batches(body: str, expected: tuple[str, ...], batches: object) -> None:
    data = fed(f"def generate():\n{body}model.fit(generate(), steps_per_epoch=5)\n")
    assert data.kind == "generator"
    assert parts(data) == expected
    assert data.batches == batches if batches is not None else not isinstance(data.batches, int | str)


def test_a_sequence_is_asked_for_a_batch() -> None:
    data = fed("""
class Batches(keras.utils.Sequence):
    def __init__(self, x, y, size=20):
        super().__init__()
        self.x, self.y, self.size = x, y, size

    def __len__(self):
        return len(self.x) // self.size

    def __getitem__(self, index):
        rows = np.random.randint(0, 1000, self.size)
        return np.zeros((self.size, 4, 4)), self.y[index * self.size:(index + 1) * self.size]

model.fit(Batches(x, y))
""")
    assert (data.kind, data.batches, data.batched) == ("sequence", 50, True)
    assert parts(data) == ("float64[20, 4, 4]", "int64[B]", "None") and data.full == 20


@pytest.mark.parametrize(("rows", "first"), [
    ("self.x[index * 20:(index + 1) * 20]", 20),
    ("self.x[self.order[index * 20:(index + 1) * 20]]", 20),
    ("np.array([row for row in self.x[index * 600:min((index + 1) * 600, len(self.x))]])", 600),
    ("self.x[index * 2000:(index + 1) * 2000]", 1000),
])
def test_a_sequence_tells_the_rows_of_its_first_batch(rows: str, first: int) -> None:
    data = fed(f"""
class Batches(keras.utils.Sequence):
    def __init__(self, x):
        self.x, self.order = x, np.arange(len(x))
        np.random.shuffle(self.order)

    def __getitem__(self, index):
        return {rows}

model.fit(Batches(x))
""")
    assert data.full == first
    assert str(data.x).startswith("float64[B, ")


def test_arrays_with_different_numbers_of_rows() -> None:
    mismatch = uneven(Tensor((10, 3)), Tensor((9,)))
    assert mismatch is not None
    assert mismatch.message == "x has 10 rows, y has 9 rows"
    assert uneven(Tensor((10, 3)), Tensor((10,)), None) is None
