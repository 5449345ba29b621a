"""In which order XLA computes what does not hang on each other: programs beside what its CUDA compiler assigns them.

Measured with jax 0.10.2 for a T4, from the graph that TensorFlow 2.21 makes of Keras' step.
"""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

SUMMED = HEAD + """
def normed(x, filters):
    return layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same")(x)))


x = inputs = keras.Input((96, 96, 3))
skips = []
for filters in (16, 32, 64):
    x = normed(normed(x, filters), filters)
    skips.append(x)
    x = layers.MaxPooling2D()(x)
x = layers.ReLU()(layers.Conv2D(128, 3, padding="same")(x))
for filters in (64, 32, 16):
    x = layers.UpSampling2D(interpolation="bilinear")(x)
    x = normed(layers.Concatenate()([x, skips.pop()]), filters)
model = keras.Model(inputs, layers.Conv2D(6, 1)(x))
model.compile(keras.optimizers.Adam(1e-3, global_clipnorm=1.0, gradient_accumulation_steps=4),
              keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((64, 96, 96, 3), "float32"), np.zeros((64, 96, 96), "int32"), batch_size=8)
"""
SLOW = HEAD + """
import tensorflow as tf


def backbone():
    x = inputs = keras.Input((64, 64, 3))
    for filters in (32, 64, 128):
        x = layers.BatchNormalization()(layers.Conv2D(filters, 3, strides=2, padding="same")(x))
        skip = x = layers.Activation("gelu")(x)
        x = layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same")(x))
        x = layers.Activation("gelu")(layers.Add()([x, skip]))
    x = layers.BatchNormalization()(layers.Dense(256)(layers.GlobalAveragePooling2D()(x)))
    return keras.Model(inputs, layers.Dense(64)(layers.ReLU()(x)))


def distance(a, b):
    return 2 - 2 * tf.reduce_sum(tf.math.l2_normalize(a, axis=-1) * tf.math.l2_normalize(b, axis=-1), axis=-1)


fast, slow = backbone(), backbone()
predictor = keras.Sequential([keras.Input((64,)), layers.Dense(256, activation="relu"), layers.Dense(64)])
optimizer = keras.optimizers.AdamW(3e-4, weight_decay=1e-4)


@tf.function(jit_compile=True)
def step(one, other):
    aim, back = (tf.stop_gradient(slow(each, training=True)) for each in (one, other))
    with tf.GradientTape() as tape:
        ahead, behind = (predictor(fast(each, training=True)) for each in (one, other))
        loss = tf.reduce_mean(distance(ahead, back) + distance(behind, aim))
    params = fast.trainable_variables + predictor.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, params), params))
    for old, new in zip(slow.weights, fast.weights):
        old.assign(0.99 * old + 0.01 * new)


for one, other in tf.data.Dataset.from_tensor_slices((np.zeros((128, 64, 64, 3), "float32"),) * 2).batch(16):
    step(one, other)
"""
FROZEN = HEAD + """
inputs = x = keras.Input((64, 64, 64))
for _ in range(4):
    y = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(16, 1, use_bias=False)(x)))
    y = layers.BatchNormalization()(layers.Conv2D(64, 1, use_bias=False)(y))
    x = layers.ReLU()(layers.Add()([x, y]))
base = keras.Model(inputs, layers.Conv2D(8, 3)(x))
base.trainable = False
x = layers.GlobalAveragePooling2D()(base(inputs, training=False))
model = keras.Model(inputs, layers.Dense(10)(x))
model.compile("adam", "mse")
model.fit(np.zeros((64, 64, 64, 64), "float32"), np.zeros((64, 10), "float32"), batch_size=8)
"""


@pytest.mark.parametrize(("program", "measured"), [(SUMMED, 89_660_966), (SLOW, 44_585_236)])
def test_what_can_wait_or_need_not_wait(program: str, measured: int) -> None:
    """Zeros wait where the norms of summed gradients are read the last layer's first; a slow copy of a model is done
    before anything is kept."""
    made = estimate(program)
    assert made.regime == "XLA"
    assert made.terms.total == pytest.approx(measured, rel=0.05)


def test_sums_of_frozen_blocks_are_written_over_what_went_round_them() -> None:
    """And that is there while the block runs."""
    assert estimate(FROZEN).terms.total == pytest.approx(27_329_352, rel=0.005)
