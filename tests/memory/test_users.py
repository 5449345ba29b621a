"""Programs as users write them, against what their steps really took (tests/oracle/memory_step.py): TensorFlow 2.21."""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimates
from tests.oracle.memory_models import HEAD

TEXTS = f"""{HEAD}
from tensorflow.keras.layers import GRU, LSTM, Dense, Dropout, Embedding, TimeDistributed

model = keras.Sequential([
    keras.Input(shape=(120,)), Embedding(96, 64), GRU(128, return_sequences=True, recurrent_dropout=0.1), Dropout(0.2),
    LSTM(128, return_sequences=True, dropout=0.1, recurrent_dropout=0.1),
    TimeDistributed(Dense(96, activation="softmax"))])
model.compile(loss="sparse_categorical_crossentropy", optimizer="nadam", jit_compile=False)
model.fit(np.random.randint(0, 96, (256, 120)), np.random.randint(0, 96, (256, 120, 1)), batch_size=64, epochs=1)
"""
"""The gradient of each of 120 slices is as large as all of them."""
ACTOR = f"""{HEAD}
import tensorflow as tf

def get_actor():
    inputs = layers.Input(shape=(64,))
    out = layers.Dense(1024, activation="relu")(inputs)
    out = layers.Dense(1024, activation="relu")(out)
    return keras.Model(inputs, layers.Dense(8, activation="tanh")(out) * 2.0)

def get_critic():
    state, action = layers.Input(shape=(64,)), layers.Input(shape=(8,))
    state_out = layers.Dense(512, activation="relu")(layers.Dense(256, activation="relu")(state))
    action_out = layers.Dense(512, activation="relu")(action)
    out = layers.Dense(1024, activation="relu")(layers.Concatenate()([state_out, action_out]))
    return keras.Model([state, action], layers.Dense(1)(layers.Dense(1024, activation="relu")(out)))

actor, critic = get_actor(), get_critic()
target_actor, target_critic = get_actor(), get_critic()
critic_optimizer, actor_optimizer = keras.optimizers.Adam(0.002), keras.optimizers.Adam(0.001)

@tf.function
def update(state_batch, action_batch, reward_batch, next_state_batch):
    with tf.GradientTape() as tape:
        target_actions = target_actor(next_state_batch, training=True)
        y = reward_batch + 0.99 * target_critic([next_state_batch, target_actions], training=True)
        critic_value = critic([state_batch, action_batch], training=True)
        critic_loss = keras.ops.mean(keras.ops.square(y - critic_value))
    critic_grad = tape.gradient(critic_loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(critic_grad, critic.trainable_variables))
    with tf.GradientTape() as tape:
        critic_value = critic([state_batch, actor(state_batch, training=True)], training=True)
        actor_loss = -keras.ops.mean(critic_value)
    actor_grad = tape.gradient(actor_loss, actor.trainable_variables)
    actor_optimizer.apply_gradients(zip(actor_grad, actor.trainable_variables))

states, actions = np.random.rand(2048, 64).astype("float32"), np.random.rand(2048, 8).astype("float32")
for _ in range(3):
    update(tf.convert_to_tensor(states), tf.convert_to_tensor(actions),
           tf.convert_to_tensor(np.random.rand(2048, 1).astype("float32")), tf.convert_to_tensor(states))
"""
"""The gradient of the actor waits for the critic's update, also where it reads nothing but the critic's weights."""
VIDEO = f"""{HEAD}
inputs = layers.Input((16, 32, 32, 1))
x = layers.Reshape((-1, 96))(layers.Conv3D(96, (4, 8, 8), strides=(4, 8, 8))(inputs))
for _ in range(4):
    y = layers.LayerNormalization(epsilon=1e-6)(x)
    y = layers.Add()([layers.MultiHeadAttention(num_heads=4, key_dim=24, dropout=0.1)(y, y), x])
    z = layers.LayerNormalization(epsilon=1e-6)(y)
    z = keras.Sequential([layers.Dense(384, activation=keras.ops.gelu), layers.Dense(96, activation=keras.ops.gelu)])(z)
    x = layers.Add()([z, y])
x = layers.GlobalAvgPool1D()(layers.LayerNormalization(epsilon=1e-6)(x))
model = keras.Model(inputs, layers.Dense(11, activation="softmax")(x))
model.compile(keras.optimizers.Adam(1e-4), "sparse_categorical_crossentropy", jit_compile=False)
model.fit(np.zeros((64, 16, 32, 32, 1), "float32"), np.zeros((64,), "int32"), batch_size=32)
"""
"""137 MB with a table of positions, of 0.1 MB with its slots; keras.ops.gelu approximates."""

SPREAD = f"""{HEAD}

class InstanceNormalization(layers.Layer):
    def build(self, shape):
        self.gamma = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, x):
        spread = keras.ops.std(x, axis=(1, 2), keepdims=True) + 1e-3
        return (x - keras.ops.mean(x, axis=(1, 2), keepdims=True)) / spread * self.gamma


x = inputs = keras.Input((64, 64, 3))
for filters in (16, 32):
    x = InstanceNormalization()(layers.Conv2D(filters, 3, padding="same", activation="relu")(x))
model = keras.Model(inputs, layers.Conv2D(3, 3, padding="same")(x))
x, y = np.zeros((4 * 8, 64, 64, 3), "float32"), np.zeros((4 * 8, 64, 64, 3), "float32")
model.compile("sgd", "mae", jit_compile=False)
model.fit(x, y, batch_size=8)
"""
COSINES = f"""{HEAD}import tensorflow as tf


class Cosines(layers.Layer):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.classes))

    def call(self, x):
        logits = tf.nn.l2_normalize(x, axis=1) @ tf.nn.l2_normalize(self.kernel, axis=0)
        return tf.cos(tf.acos(tf.clip_by_value(logits, -0.999, 0.999)) + 0.5)


inputs = keras.Input((256,))
model = keras.Model(inputs, Cosines(2000)(layers.Dense(512, activation="relu")(inputs)))
x, y = np.zeros((4 * 16, 256), "float32"), np.zeros((4 * 16,), "int32")
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
model.fit(x, y, batch_size=16)
"""
TAGS = f"""{HEAD}
from keras.layers import Bidirectional, Dense, Embedding, GRU, LSTM, SpatialDropout1D, TimeDistributed

tokens = keras.Input((80,), dtype="int32")
h = SpatialDropout1D(0.1)(Embedding(12000, 100, mask_zero=True)(tokens))
h = Bidirectional(GRU(128, return_sequences=True))(h)
h = Bidirectional(GRU(64, return_sequences=True, reset_after=False), merge_mode="sum")(h)
h = LSTM(100, return_sequences=True, dropout=0.2)(h)
model = keras.Model(tokens, TimeDistributed(Dense(17, activation="softmax"))(h))
model.compile("sgd", "sparse_categorical_crossentropy", jit_compile=False)
model.fit(np.ones((33, 80), "int32"), np.zeros((33, 80), "int32"), batch_size=16)
"""
"""A GRU that resets before its product cuts its recurrent kernel in two at every step, and keeps both parts."""

CODES = f"""{HEAD}
code, ages = keras.Input((1,), dtype="int32"), keras.Input((40,))
rows = layers.CategoryEncoding(num_tokens=3000, output_mode="one_hot")(code)
several = layers.CategoryEncoding(num_tokens=500)(keras.ops.cast(ages, "int32"))
bins = layers.Embedding(5, 16)(layers.Discretization(bin_boundaries=[18.0, 25.0, 40.0, 60.0])(ages))
x = layers.Concatenate()([rows, several, layers.Flatten()(bins)])
model = keras.Model([code, ages], layers.Dense(1)(layers.Dense(256, activation="relu")(x)))
model.compile("adam", "mse", jit_compile=False)
x, y = [np.zeros((512, 1), "int32"), np.zeros((512, 40), "float32")], np.zeros((512, 1), "float32")
model.fit(x, y, batch_size=256)
"""
"""Classes as rows, which nothing goes back through."""
WHITENED = f"""{HEAD}
class Whitened(keras.losses.Loss):
    def call(self, y, z):
        covariance = keras.ops.matmul(keras.ops.transpose(z), z)
        own = keras.ops.diagonal(covariance)
        return keras.ops.sum(keras.ops.square(covariance)) - keras.ops.sum(keras.ops.square(own))

model = keras.Sequential([keras.Input((64,)), layers.Dense(512, activation="relu"), layers.Dense(1024)])
model.compile("adam", Whitened(), jit_compile=False)
x, y = np.zeros((256, 64), "float32"), np.zeros((256, 1), "float32")
model.fit(x, y, batch_size=128)
"""


@pytest.mark.parametrize(("text", "total", "within"), [
    (TEXTS, 675_506_376, 0.01), (ACTOR, 124_506_352, 0.01), (VIDEO, 137_056_892, 0.02),
    (SPREAD, 36_861_796, 0.01), (COSINES, 17_057_880, 0.01), (TAGS, 83_601_640, 0.03),
    (CODES, 25_792_512, 0.005), (WHITENED, 20_109_876, 0.005)])
def test_totals_of_steps_that_were_run(text: str, total: int, within: float) -> None:
    made = estimates(text)[-1]  # the last optimizer stands for the step
    assert not made.unknown
    assert made.terms.total == pytest.approx(total, rel=within)
