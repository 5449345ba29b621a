"""What Keras 2 runs otherwise than Keras 3."""

from __future__ import annotations

import pytest

from cudnnlint.values import Stack
from tests.memory.test_estimates import estimate, estimates


def test_a_table_of_keras_2_is_copied_as_its_slots_decay() -> None:
    """72,808,656 bytes in a step of TensorFlow and tf_keras 2.21 on a CPU."""
    (made,) = estimates("""
import numpy as np
from tf_keras import Sequential, layers

model = Sequential([
    layers.Embedding(20000, 128, input_length=150), layers.SpatialDropout1D(0.25),
    layers.Conv1D(128, 5, activation="relu"), layers.MaxPooling1D(3),
    layers.Conv1D(64, 3, activation="relu", padding="same"), layers.BatchNormalization(), layers.Flatten(),
    layers.Dense(256, activation="tanh"), layers.Dropout(0.5), layers.Dense(6, activation="sigmoid")])
model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(np.zeros((16, 150), "int32"), np.zeros((16, 6), "float32"), batch_size=8)
""", stack=Stack(keras=(2, 21)))
    assert made.terms.total == pytest.approx(72_808_656, rel=0.005)


@pytest.mark.parametrize(("optimizer", "total"), [
    ("sgd", 15_492_448), ("rmsprop", 15_492_448), ("adam", 23_172_492), ("adagrad", 7_830_964)])
def test_rows_of_a_table_are_added_where_they_stand(optimizer: str, total: int) -> None:
    """In the third step of TensorFlow and tf_keras 2.21 on a CPU: slots are copied as they fade, and read in a copy."""
    made = estimate(f"""
import numpy as np
from tf_keras import Sequential, layers

model = Sequential([layers.Embedding(20000, 48, input_length=12), layers.Flatten(), layers.Dense(8, activation="relu"),
                    layers.Dense(1)])
model.compile("{optimizer}", "mse")
model.fit(np.zeros((64, 12), "int32"), np.zeros((64, 1), "float32"), batch_size=32)
""", stack=Stack(keras=(2, 21)))
    assert made.terms.total == pytest.approx(total, rel=0.02)


def test_rows_that_keras_2_normalises_keep_what_they_are_multiplied_into() -> None:
    """FusedBatchNormV3 and a product by gamma; batchnorm/mul and batchnorm/mul_1 where epsilon is too small for it."""
    text = """
import numpy as np
import tf_keras as keras
from tf_keras import layers

inputs = x = keras.Input((64, 96))
for _ in range(8):
    x = layers.Dense(96)(LAYER(x))
model = keras.Model(inputs, x)
model.compile("sgd", "mse")
model.fit(np.zeros((64, 64, 96), "float32"), np.zeros((64, 64, 96), "float32"), batch_size=32)
"""
    none, fused, small = (estimate(text.replace("LAYER", layer), stack=Stack(keras=(2, 21))).terms.activations
                          for layer in ("", "layers.LayerNormalization()", "layers.LayerNormalization(epsilon=1e-6)"))
    one = 32 * 64 * 96 * 4
    assert (fused - none) / one == pytest.approx(16, abs=1)
    assert (small - none) / one == pytest.approx(16, abs=1.5)


STEPPED = """
import numpy as np
import tensorflow as tf
import tensorflow_addons as tfa
from elsewhere import made
from tensorflow import keras
from tensorflow.keras import layers


class Told(keras.Model):
    def __init__(self):
        super().__init__()
        self.net = keras.Sequential([keras.Input((64,)), layers.Dense(1000, activation="relu"), layers.Dense(10)])

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(y - self.net(x, training=True)))
        variables = self.net.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}


model = Told()
model.compile(optimizer=OPTIMIZER)
model.fit(np.zeros((64, 64), "float32"), np.zeros((64, 10), "float32"), batch_size=8)
"""


def test_an_optimizer_of_another_package_is_that_of_a_step_of_the_models_own() -> None:
    known, other = (estimate(STEPPED.replace("OPTIMIZER", given), stack=Stack(keras=(2, 12)))
                    for given in ("tfa.optimizers.AdamW(weight_decay=1e-4)", "made()"))
    assert known.optimizer == "AdamW"
    assert known.terms.optimizer == pytest.approx(2 * known.terms.weights, rel=0.01)
    assert other.unknown == ("the optimizer's slots",)


DROPS = """
import numpy as np
from tf_keras import Sequential, layers

model = Sequential([layers.Input((40,)), layers.Embedding(500, 24), layers.LAYER, layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.zeros((ROWS, 40), "int32"), np.zeros((ROWS, 1), "float32"), batch_size=32)
"""


@pytest.mark.parametrize(("layer", "full", "total"), [
    ("LSTM(64, recurrent_dropout=0.2)", 9_298_456, 9_985_016),
    ("LSTM(64, dropout=0.2, recurrent_dropout=0.2)", 10_282_456, 11_215_992),
    ("LSTM(64, recurrent_dropout=0.2, return_sequences=True), layers.GlobalAveragePooling1D()", 9_617_944, 10_304_504),
    ("GRU(64, recurrent_dropout=0.2)", 7_404_814, 7_920_960),
    ("GRU(64, dropout=0.2, recurrent_dropout=0.2)", 8_063_965, 8_875_072),
    ("GRU(64, recurrent_dropout=0.2, reset_after=False)", 7_401_239, 7_917_960),
    ("SimpleRNN(64, dropout=0.2, recurrent_dropout=0.2)", 1_730_629, 2_314_658),
    ("Bidirectional(layers.LSTM(64, dropout=0.2, recurrent_dropout=0.2))", 20_409_212, 22_261_092)])
def test_states_that_are_dropped_have_masks_and_products_by_gate(layer: str, full: int, total: int) -> None:
    """Of full batches, and where a last one has fewer rows: then the ones that masks are made of are kept too, and
    which numbers are dropped."""
    for rows, measured in ((128, full), (129, total)):
        made = estimate(DROPS.replace("LAYER", layer).replace("ROWS", str(rows)), stack=Stack(keras=(2, 21)))
        assert not made.unknown
        assert made.terms.total == pytest.approx(measured, rel=0.015)


def test_two_directions_end_together() -> None:
    """23,550,078 bytes, 25,235,112 with a row more: what neither hands on lies there until both have ended."""
    both = "layers.Bidirectional(layers.LSTM(64, recurrent_dropout=0.2))"
    text = DROPS.replace("layers.Embedding(500, 24), layers.LAYER", both).replace("(40,)", "(50, 32)")
    text = text.replace('40), "int32"', '50, 32), "float32"')
    for rows, measured in ((128, 23_550_078), (129, 25_235_112)):
        made = estimate(text.replace("ROWS", str(rows)), stack=Stack(keras=(2, 21)))
        assert made.terms.total == pytest.approx(measured, rel=0.005)


def test_what_no_gradient_reads_is_there_until_the_loop_ends() -> None:
    """9,141,968 bytes in a step of tf_keras 2.21 on a CPU: the kernel of what is fed, cut at each step."""
    made = estimate("""
import numpy as np
from tf_keras import Sequential, layers

model = Sequential([layers.Input((40, 24)), layers.LSTM(64, recurrent_dropout=0.2), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.zeros((128, 40, 24), "float32"), np.zeros((128, 1), "float32"), batch_size=32)
""", stack=Stack(keras=(2, 21)))
    assert made.terms.total == pytest.approx(9_141_968, rel=0.005)
