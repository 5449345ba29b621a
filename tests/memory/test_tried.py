"""Batches tried with so much memory and no more (tests/oracle/memory_kept.py; TensorFlow 2.21, Keras 3.15)."""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD, filled
from tests.oracle.memory_runs import ALL

ACCUMULATED = f"""{HEAD}
model = keras.Sequential([keras.Input((64,)), layers.Dense(1024, activation="relu"),
                          layers.Dense(1024, activation="tanh"), layers.Dropout(0.4),
                          layers.Dense(512, activation="softplus"), layers.Dense(10)])
model.compile(keras.optimizers.Adam(1e-3, gradient_accumulation_steps=4),
              keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
model.fit(np.zeros((8192, 64), "float32"), np.zeros((8192,), "int32"), batch_size=2048)
"""
AUTOENCODER = f"""{HEAD}
import tensorflow as tf
seen = keras.Input((96, 96, 3))
h = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu")(seen)
h = layers.Conv2D(32, 3, strides=2, padding="same", activation="relu")(h)
h = layers.Flatten()(h)
encoder = keras.Model(seen, [layers.Dense(16)(h), layers.Dense(16)(h)])
code = keras.Input((16,))
h = layers.Reshape((24, 24, 32))(layers.Dense(24 * 24 * 32, activation="relu")(code))
h = layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu")(h)
h = layers.Conv2DTranspose(16, 3, strides=2, padding="same", activation="relu")(h)
decoder = keras.Model(code, layers.Conv2D(3, 3, padding="same", activation="sigmoid")(h))

class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
    def call(self, x):
        return self.decoder(self.encoder(x)[0])
    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, spread = self.encoder(data)
            out = self.decoder(mean + tf.exp(0.5 * spread) * tf.random.normal(tf.shape(mean)))
            crossed = keras.losses.binary_crossentropy(data, out)
            far = -0.5 * (1 + spread - tf.square(mean) - tf.exp(spread))
            loss = tf.reduce_mean(tf.reduce_sum(crossed, axis=(1, 2))) + tf.reduce_mean(tf.reduce_sum(far, axis=1))
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        return {{"loss": loss}}

model = Autoencoder()
model.compile(keras.optimizers.Adam(), jit_compile=False)
model.fit(np.zeros((256, 96, 96, 3), "float32"), batch_size=64)
"""
TURNS = filled(ALL["in_turns"], 16, "adam")


@pytest.mark.parametrize(("text", "limit", "passed", "failed"), [
    (ACCUMULATED, 500, 15500, 16696), (AUTOENCODER, 600, 172, 181), (TURNS, 300, 272, 290)])
def test_what_is_advised_passed_and_little_more_did_not(text: str, limit: int, passed: int, failed: int) -> None:
    """Zeros that stay, which gradients are set to and which a cross-entropy chooses from; networks in turns."""
    assert 0.85 * failed <= estimate(text).largest(limit << 20) <= min(1.03 * passed, failed - 1)
