"""What layers and models give to add_loss() is part of the loss of fit(), and of the program's own where it asks."""

from __future__ import annotations

from copy import copy
from types import SimpleNamespace
from typing import Any

import pytest

from cudnnlint.interp.heap import Heap
from cudnnlint.interp.keras.added import Given
from cudnnlint.values import Stack, Tensor
from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

MADE = f"""{HEAD}
import tensorflow as tf
from keras import ops

class Spread(layers.Layer):
    def build(self, shape):
        self.book = self.add_weight(shape=(shape[-1], 64), name="book")
    def call(self, x):
        d = ops.matmul(x, self.book)
        self.add_loss(ops.mean(ops.square(ops.softmax(d))) * ops.mean(x))
        return x

def functional():
    inputs, x = keras.Input((32, 32, 3)), None
    for _ in range(2):
        x = layers.Conv2D(32, 3, padding="same", activation="relu")(inputs if x is None else x)
    return keras.Model(inputs, layers.Conv2D(3, 3, padding="same")(Spread()(x)))

images = np.zeros((65, 32, 32, 3), "float32")
"""
FITTED = """
model = functional()
model.compile("adam", "mse", jit_compile=False)
model.fit(images, images, batch_size=32)
"""
OWN = """
class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.a, self.b = layers.Conv2D(32, 3, padding="same", activation="relu"), layers.Conv2D(3, 3, padding="same")
        self.spread = Spread()
    def call(self, x):
        y = self.b(self.spread(self.a(x)))
        self.add_loss(ops.mean(ops.abs(y - x)) * ops.mean(y))
        return y
model = Own()
model.compile("adam", jit_compile=False)
model.fit(images, batch_size=32)
"""
STEPPED = """
class Trainer(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = functional()
    def call(self, x):
        return self.inner(x)
    def train_step(self, x):
        with tf.GradientTape() as tape:
            made = self.inner(x, training=True)
            loss = tf.reduce_mean((x - made) ** 2)
            LOSSES
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}
model = Trainer()
model.compile("adam", jit_compile=False)
model.fit(images, batch_size=32)
"""
COMPUTED = STEPPED.replace("self, x):\n        with", "self, data):\n        x, y = data\n        with").replace(
    "loss = tf.reduce_mean((x - made) ** 2)", "loss = self.compute_loss(x, y, made)").replace(
    "LOSSES", "").replace('"adam", jit', '"adam", "mse", jit').replace("fit(images", "fit(images, images")
SUMS = ("loss += sum(self.inner.losses)", "loss += tf.add_n(self.losses)", "loss += tf.reduce_sum(self.losses)",
        "loss += ops.sum(self.inner.losses)", "for one in self.inner.losses: loss += one")


@pytest.mark.parametrize(("text", "total"), [
    (FITTED, 39_478_408), (OWN, 38_194_784), *((STEPPED.replace("LOSSES", one), 42_627_684) for one in SUMS),
    (COMPUTED, 39_478_400)])
def test_what_is_added_is_kept_for_the_way_back(text: str, total: int) -> None:
    """As real Keras 3.15 ran it; without what is added it takes 12 to 21 MB."""
    found = estimate(MADE + text)
    assert not found.unknown and not [said for said in found.assumptions if "add_loss" in said]
    assert found.terms.total == pytest.approx(total, rel=0.025)


QUANTIZED = f"""{HEAD}
import tensorflow as tf

class Quantizer(layers.Layer):
    def __init__(self, codes, width):
        super().__init__()
        self.codes, self.width = codes, width
        self.book = self.add_weight(shape=(width, codes), initializer="random_uniform", name="book")
    def call(self, x):
        flat = tf.reshape(x, [-1, self.width])
        distances = tf.reduce_sum(self.book ** 2, axis=0) - 2 * tf.matmul(flat, self.book)
        chosen = tf.one_hot(tf.argmin(distances, axis=1), self.codes)
        found = tf.reshape(tf.matmul(chosen, self.book, transpose_b=True), tf.shape(x))
        self.add_loss(0.25 * tf.reduce_mean((tf.stop_gradient(found) - x) ** 2)
                      + tf.reduce_mean((found - tf.stop_gradient(x)) ** 2))
        return x + tf.stop_gradient(found - x)

class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = keras.Sequential([layers.Conv2D(64, 3, strides=2, padding="same", activation="relu"),
                                         layers.Conv2D(64, 1)])
        self.quantizer, self.decoder = Quantizer(128, 64), layers.Conv2DTranspose(3, 3, strides=2, padding="same")
    def call(self, x):
        return self.decoder(self.quantizer(self.encoder(x)))

model = Autoencoder()
model.compile("adam", "mse", jit_compile=False)
images = np.zeros((65, 32, 32, 3), "float32")
model.fit(images, images, batch_size=32)
"""


def test_a_quantizer() -> None:
    """Its differences are one, as what stop_gradient() gives is what it was given, and their squares keep nothing more:
    it took 16.1 MB, and would take 22.3."""
    found = estimate(QUANTIZED)
    assert not found.unknown
    assert 15_700_000 < found.terms.total < 18_200_000


@pytest.mark.parametrize("own", ["Spread()", "layers.ReLU()", "layers.Activation('linear')"])
def test_functions_and_tensors_of_a_functional_model_in_keras_2(own: str) -> None:
    """Both add what the last of these does not have."""
    text = f"""{HEAD}
import tensorflow as tf

class Spread(layers.Layer):
    def call(self, x):
        kept = tf.nn.softmax(x)
        self.add_loss(lambda: tf.reduce_mean(kept ** 2))
        return x

inputs = keras.Input((32, 32, 3))
x, own = layers.Conv2D(32, 3, padding="same", activation="relu")(inputs), {own}
model = keras.Model(inputs, layers.Conv2D(3, 3, padding="same")(own(x)))
if isinstance(own, layers.ReLU):
    model.add_loss(tf.reduce_mean(tf.nn.softmax(x) ** 2))
model.compile("adam", "mse", jit_compile=False)
images = np.zeros((65, 32, 32, 3), "float32")
model.fit(images, images, batch_size=32)
"""
    found, feature_map = estimate(text, stack=Stack(keras=(2, 21))), 32 * 32 * 32 * 32 * 4
    assert not found.unknown
    assert (found.terms.total > 3.5 * feature_map) is (own[-2:] == "()")


def test_what_is_not_known_is_told_not_to_be_counted() -> None:
    """Of the model that is trained only."""
    text = MADE.replace("ops.mean(ops.square(ops.softmax(d))) * ops.mean(x)", "np.load('x.npy').item()") + FITTED
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "add_loss" in line)
    told = [said for said in estimate(text).assumptions if "add_loss" in said]
    assert told == [f"the loss of add_loss() (line {line}) is not known, and not counted"]


@pytest.mark.parametrize("otherwise", ["pass", "self.add_loss(ops.mean(ops.abs(x)))"])
def test_of_two_paths_that_counts_which_gives_most(otherwise: str) -> None:
    always = MADE + FITTED
    given = "self.add_loss(ops.mean(ops.square(ops.softmax(d))) * ops.mean(x))"
    paths = f"if FLAG:\n            {given}\n            {given}\n        else:\n            {otherwise}"
    assert given in always
    some = estimate(always.replace(given, paths, 1).replace("class Spread", "import sys\nFLAG = len(sys.argv) > 1\n"
                                                                            "class Spread"))
    sure = estimate(always.replace(given, f"{given}\n        {given}", 1))
    assert some.terms == sure.terms
    assert any("given on some paths only, and counted" in one for one in some.assumptions)


def test_what_one_path_gives_is_nothing_to_the_other_and_what_one_file_does_nothing_to_the_next() -> None:
    machine: Any = SimpleNamespace(heap=Heap(), applying=[1])
    given, layer, loss = Given(), object(), Tensor((), "float32", "tf")
    machine.heap.open()
    given.give(machine, layer, loss)
    other = copy(given)
    machine.heap.undo()
    assert (given.under, given.last) == ((), {})
    assert [one for _, one in other.under] == [(layer, loss)]


def test_where_nothing_is_compared_with_labels_there_are_none() -> None:
    made = estimate(MADE + OWN)
    assert made.terms.input == 32 * 32 * 32 * 3 * 4
