"""No handler of data raises, whatever it is given."""

from __future__ import annotations

import itertools

import pytest

from cudnnlint.engine import registry
from cudnnlint.interp.registry import CALLS
from tests.interpret import events_of

registry.load()
HEAD = """
import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds
from tensorflow import keras
unknown = open("x").read()
some = [unknown for _ in unknown]
plain = tf.data.Dataset.from_tensor_slices((np.zeros((10, 4, 3)), {"a": np.arange(10), "b": some}))
sets = [plain, plain.batch(4), plain.repeat(), tf.data.Dataset.range(5), tf.data.TFRecordDataset("f"),
        plain.window(3), plain.map(lambda *a: None), plain.map(lambda *a: unknown), unknown]
images = keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255)
"""
VALUES = [
    "unknown", "None", "-1", "0", "3", "10 ** 30", "2.5", "'text'", "True", "[]", "{}", "()", "[1, [2]]", "some",
    "np.zeros((4, 3))", "np.zeros(())", "tf.constant(2)", "plain", "[plain, plain.batch(2)]", "lambda *a: a",
    "lambda: 0", "lambda *a: plain", "print", "{'a': (1, None)}", "tf.TensorSpec((None, 3))", "keras.layers.Dense(2)",
]
METHODS = sorted(path.rpartition(".")[2] for path in CALLS if path.startswith("tensorflow.data.Dataset."))
FUNCTIONS = sorted(path for path in CALLS if path.startswith((
    "tensorflow.data.", "keras.datasets.", "tensorflow_datasets.", "keras.preprocessing.")) or
    path.rpartition(".")[2] in ("load_img", "img_to_array") or path.endswith("_dataset_from_directory"))


def calls(name: str) -> str:
    """The callee with no argument, with each value alone, and with some in pairs and threes."""
    pairs = itertools.islice(itertools.combinations(VALUES, 2), 0, None, 9)
    triples = itertools.islice(itertools.combinations(VALUES, 3), 0, None, 97)
    lists = [(), *((value,) for value in VALUES), *pairs, *triples]
    return "\n".join(f"{name}({', '.join(arguments)})" for arguments in lists)


def crash_free(text: str) -> None:
    body = "\n".join(f"    {line}" for line in text.splitlines())
    events_of(f"{HEAD}for ds in sets:\n{body}\n")


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_datasets(method: str) -> None:
    crash_free(calls(f"ds.{method}"))


@pytest.mark.parametrize("path", FUNCTIONS)
def test_functions(path: str) -> None:
    short = path.replace("tensorflow_datasets", "tfds").replace("tensorflow", "tf")
    callee = f"images.{path.rpartition('.')[2]}" if "ImageDataGenerator." in path else short
    for line in calls(callee).splitlines():
        events_of(f"{HEAD}made = {line}\nkeras.Sequential().fit(made)\nfor one in made:\n    pass\n")


@pytest.mark.parametrize("value", VALUES)
def test_feeding(value: str) -> None:
    crash_free(f"keras.Sequential().fit({value}, {value}, batch_size={value}, validation_data={value})\n"
               f"keras.Sequential().predict(ds, batch_size={value})")
