"""Data that libraries bring along: keras.datasets, directories of files, image generators, tfds."""

from __future__ import annotations

from typing import Any

import pytest

from cudnnlint.events import DatasetBatched, TrainingStarted
from cudnnlint.values import Stack
from tests.frameworks.test_tfdata import shown
from tests.interpret import events_of, names_of, of_kind

HEAD = "import numpy as np\nimport tensorflow as tf\nfrom tensorflow import keras\n"


def loaded(text: str) -> list[str]:
    names = names_of(HEAD + f"(a, b), (c, d) = {text}\n")
    return [str(names[name]) for name in "abcd"]


@pytest.mark.parametrize(("call", "arrays"), [
    ("keras.datasets.mnist.load_data()",
     ["uint8[60000, 28, 28]", "uint8[60000]", "uint8[10000, 28, 28]", "uint8[10000]"]),
    ("keras.datasets.cifar10.load_data()",
     ["uint8[50000, 32, 32, 3]", "uint8[50000, 1]", "uint8[10000, 32, 32, 3]", "uint8[10000, 1]"]),
    ("keras.datasets.cifar100.load_data(label_mode='coarse')",
     ["uint8[50000, 32, 32, 3]", "int64[50000, 1]", "uint8[10000, 32, 32, 3]", "int64[10000, 1]"]),
    ("keras.datasets.imdb.load_data(num_words=10000)", ["?[25000]", "int64[25000]", "?[25000]", "int64[25000]"]),
    ("keras.datasets.imdb.load_data(maxlen=200)", ["?[?]", "int64[?]", "?[?]", "int64[?]"]),
    ("keras.datasets.reuters.load_data()", ["?[8982]", "int64[8982]", "?[2246]", "int64[2246]"]),
    ("keras.datasets.boston_housing.load_data()",
     ["float64[404, 13]", "float64[404]", "float64[102, 13]", "float64[102]"]),
    ("keras.datasets.california_housing.load_data(version='small', test_split=0.5)",
     ["?[300, 8]", "?[300]", "?[300, 8]", "?[300]"]),
])
def test_keras_datasets(call: str, arrays: list[str]) -> None:
    assert loaded(call) == arrays


def test_cifar_follows_the_image_data_format() -> None:
    text = "keras.backend.set_image_data_format('channels_first')\n(a, _), _ = keras.datasets.cifar10.load_data()\n"
    assert str(names_of(HEAD + text)["a"]) == "uint8[50000, 3, 32, 32]"


@pytest.mark.parametrize(("call", "element"), [
    ("image_dataset_from_directory('d')", "(float32[B, 256, 256, 3], int32[B])"),
    ("image_dataset_from_directory('d', image_size=(64, 48), color_mode='grayscale', label_mode='categorical')",
     "(float32[B, 64, 48, 1], float32[B, ?])"),
    ("image_dataset_from_directory('d', label_mode='categorical', class_names=['a', 'b', 'c'])",
     "(float32[B, 256, 256, 3], float32[B, 3])"),
    ("image_dataset_from_directory('d', label_mode='binary', image_size=32)", "(float32[B, 32, 32, 3], float32[B, 1])"),
    ("image_dataset_from_directory('d', labels=None)", "float32[B, 256, 256, 3]"),
    ("image_dataset_from_directory('d', batch_size=None)", "(float32[256, 256, 3], int32[])"),
    ("text_dataset_from_directory('d')", "(string[B], int32[B])"),
    ("audio_dataset_from_directory('d', output_sequence_length=16000)", "(float32[B, 16000, None], int32[B])"),
    ("timeseries_dataset_from_array(np.zeros((100, 5)), np.zeros((100, 2)), 10, batch_size=7)",
     "(float64[7, 10, 5], float64[7, 2])"),
])
def test_datasets_out_of_files(call: str, element: str) -> None:
    assert shown(names_of(HEAD + f"ds = keras.utils.{call}\n")["ds"].element) == element
    assert shown(names_of(HEAD + f"ds = tf.keras.preprocessing.{call}\n")["ds"].element) == element


def test_both_subsets_come_as_a_pair() -> None:
    call = "keras.utils.image_dataset_from_directory('d', validation_split=0.2, subset='both', seed=1)"
    names = names_of(HEAD + f"a, b = {call}\n")
    assert shown(names["b"].element) == "(float32[B, 256, 256, 3], int32[B])"


def test_the_batch_size_of_a_directory_is_told() -> None:
    events = events_of(HEAD + "keras.utils.image_dataset_from_directory('d', batch_size=0)\n")
    (event,) = of_kind(events, DatasetBatched)
    assert event.batch_size == 0


GENERATOR = HEAD + "g = keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255)\n"


@pytest.mark.parametrize(("call", "element", "length"), [
    ("flow(np.zeros((64, 8, 9, 3)), np.zeros((64, 4), 'int64'))", "(float32[32, 8, 9, 3], int64[32, 4])", 2),
    ("flow(np.zeros((70, 8, 9, 3)), np.zeros(70))", "(float32[B, 8, 9, 3], float64[B])", 3),
    ("flow(np.zeros((70, 8, 9, 3)), batch_size=70)", "float32[70, 8, 9, 3]", 1),
    ("flow_from_directory('d')", "(float32[B, 256, 256, 3], float32[B, ?])", None),
    ("flow_from_directory('d', (64, 32), color_mode='grayscale', class_mode='binary')",
     "(float32[B, 64, 32, 1], float32[B])", None),
    ("flow_from_directory('d', class_mode=None, classes=['a'])", "float32[B, 256, 256, 3]", None),
    ("flow_from_dataframe(open('f'), 'd', target_size=(8, 8), classes=['a', 'b'])",
     "(float32[B, 8, 8, 3], float32[B, 2])", None),
])
def test_image_generators(call: str, element: str, length: int | None) -> None:
    names = names_of(GENERATOR + f"it = g.{call}\nn = len(it)\nfirst = next(it)\nother = it[0]\n")
    assert shown(names["it"].element) == element
    assert shown(names["first"]) == shown(names["other"]) == element
    assert names["n"] == length if length is not None else not isinstance(names["n"], int)


def test_an_image_generator_makes_one_pass_in_fit() -> None:
    text = GENERATOR + """
model = keras.Sequential([keras.layers.Flatten()])
model.fit(g.flow(np.zeros((64, 8, 9, 3)), np.zeros(64)))
"""
    data = of_kind(events_of(text), TrainingStarted)[0].data
    assert (data.kind, data.batches, str(data.x)) == ("sequence", 2, "float32[32, 8, 9, 3]")


@pytest.mark.parametrize(("text", "value"), [
    ("keras.utils.img_to_array(keras.utils.load_img('f.png', target_size=(224, 160)))", "float32[224, 160, 3]"),
    ("keras.utils.img_to_array(keras.utils.load_img('f.png', color_mode='grayscale'))", "float32[?, ?, 1]"),
    ("keras.utils.img_to_array(np.zeros((4, 5)))", "float32[4, 5, 1]"),
    ("keras.preprocessing.image.img_to_array(open('f'))", "float32[?, ?, ?]"),
])
def test_single_images(text: str, value: str) -> None:
    assert str(names_of(HEAD + f"a = {text}\n")["a"]) == value


def test_load_img_of_keras_2_takes_grayscale_first() -> None:
    text = HEAD + "a = keras.utils.img_to_array(keras.utils.load_img('f.png', True, 'rgb', (8, 9)))\n"
    assert str(names_of(text, Stack(keras=(2, 15)))["a"]) == "float32[8, 9, 1]"


def tfds(call: str) -> dict[str, Any]:
    return names_of(f"import tensorflow_datasets as tfds\n{call}\n")


def test_tfds_gives_what_is_asked_for() -> None:
    arguments = "split=['train', 'test'], as_supervised=True, with_info=True"
    names = tfds(f"(train, test), info = tfds.load('mnist', {arguments})")
    assert shown(names["test"].element) == "(uint8[28, 28, 1], int64[])"
    assert not isinstance(names["test"].cardinality, int)
    texts, own = "tfds.load('imdb_reviews', as_supervised=True)", "tfds.load('of_our_own', as_supervised=True)"
    assert shown(tfds(f"d = {texts}\na = d['train']")["a"].element) == "(string[], int64[])"
    assert shown(tfds(f"d = {own}\na = d['train']")["a"].element) == "(?, ?)"
    assert shown(tfds("a = tfds.load('cifar10', split='train', as_supervised=True, batch_size=64)")["a"].element) == \
        "(uint8[B, 32, 32, 3], int64[B])"
