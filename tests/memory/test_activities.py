"""Regularizers of what layers give: programs beside what their steps take.

Measured by benchmarks/memory.py: TensorFlow 2.21, Keras 3.15.1; XLA by jax 0.10.2 for a T4.
"""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

CONVOLVED = HEAD + """
from keras import regularizers
x = inputs = keras.Input((64, 64, 3))
for filters in (32, 64):
    x = layers.Conv2D(filters, 3, padding="same", strides=2, activation="relu",
                      activity_regularizer=regularizers.l1(1e-5))(x)
x = layers.Conv2D(16, 3, padding="same", activity_regularizer="l2")(x)
x = layers.ActivityRegularization(l1=1e-4)(x)
for filters in (64, 32):
    x = layers.Conv2DTranspose(filters, 3, strides=2, padding="same", activation="relu")(x)
outputs = layers.Conv2D(3, 3, padding="same", activity_regularizer=regularizers.L1L2(1e-6, 1e-6))(x)
model = keras.Model(inputs, outputs)
model.compile("adam", "mse", jit_compile=False)
model.fit(np.zeros((128, 64, 64, 3), "float32"), np.zeros((128, 64, 64, 3), "float32"), batch_size=16)
"""
OWN = HEAD + """
import tensorflow as tf
from keras import regularizers
model = keras.Sequential([
    keras.Input((784,)),
    layers.Dense(1024, activation="relu", activity_regularizer=regularizers.L1(1e-5)),
    layers.Dense(512, activation="relu", activity_regularizer=regularizers.L2(1e-5), kernel_regularizer="l2"),
    layers.Dense(784, activation="sigmoid")])
optimizer = keras.optimizers.SGD(0.1)


@tf.function(jit_compile=False)
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x - model(x, training=True))) + tf.add_n(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for x in tf.data.Dataset.from_tensor_slices(np.zeros((8192, 784), "float32")).batch(4096, drop_remainder=True):
    step(x)
"""


@pytest.mark.parametrize(("program", "measured", "compiled"), [
    (CONVOLVED, 31_099_084, 38_050_052), (OWN, 123_577_432, 123_059_644)])
def test_what_is_regularized_is_kept(program: str, measured: int, compiled: int) -> None:
    """XLA computes signs again, but adds a product to what comes back of the penalty. What the program feeds itself is
    there once, whether or not it is compared with what comes of it."""
    assert estimate(program).terms.total == pytest.approx(measured, rel=0.001)
    made = estimate(program.replace("jit_compile=False", "jit_compile=True"))
    assert made.regime == "XLA"
    assert made.terms.total == pytest.approx(compiled, rel=0.02)
