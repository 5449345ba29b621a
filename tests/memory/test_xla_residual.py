"""What XLA keeps of blocks: responses that are normalised by their squares, and what two ways lead out of a sum."""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

RESPONSES = f"""{HEAD}
from keras import ops


class Responses(layers.Layer):
    def build(self, shape):
        self.gamma = self.add_weight(shape=(1, 1, 1, shape[-1]), initializer="zeros", name="gamma")
        self.beta = self.add_weight(shape=(1, 1, 1, shape[-1]), initializer="zeros", name="beta")

    def call(self, x):
        far = ops.sqrt(ops.sum(ops.square(x), axis=(1, 2), keepdims=True) + 1e-6)
        return self.gamma * (x * (far / (ops.mean(far, axis=-1, keepdims=True) + 1e-6))) + self.beta + x


def block(x, dim):
    y = layers.LayerNormalization(epsilon=1e-6)(layers.DepthwiseConv2D(5, padding="same")(x))
    y = Responses()(layers.Dense(4 * dim, activation="gelu")(y))
    return layers.add([x, layers.Dense(dim)(y)])


inputs = keras.Input((60, 60, 3))
x = layers.Rescaling(1 / 127.5, offset=-1)(inputs)
x = layers.LayerNormalization(epsilon=1e-6)(layers.Conv2D(48, 4, strides=4)(x))
for dim, depth in ((48, 3), (96, 2), (128, 1)):
    if dim > 48:
        x = layers.Conv2D(dim, 2, strides=2)(layers.LayerNormalization(epsilon=1e-6)(x))
    for _ in range(depth):
        x = block(x, dim)
x = layers.LayerNormalization(epsilon=1e-6)(layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, layers.Dense(37)(x))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((16, 60, 60, 3), "float32"), np.zeros((16,), "int32"), batch_size=8)
"""
TWO_WAYS = f"""{HEAD}
def unit(x, f, s=1):
    y = layers.BatchNormalization()(layers.Conv2D(f, 3, s, padding="same", kernel_regularizer="l2")(x))
    y = layers.ELU()(y)
    y = layers.BatchNormalization()(layers.Conv2D(f, 3, padding="same", kernel_regularizer="l2")(y))
    if s > 1 or x.shape[-1] != f:
        x = layers.AveragePooling2D(s)(x) if s > 1 else x
        x = layers.Conv2D(f, 1)(x)
    return layers.ELU()(layers.add([x, y]))


inputs = keras.Input((52, 52, 3))
x = layers.Conv2D(28, 5, padding="same", activation="elu")(inputs)
for f, s in ((28, 1), (56, 2), (56, 1), (112, 2)):
    x = unit(x, f, s)
x = layers.GlobalMaxPooling2D()(x)
x = layers.Dropout(0.4)(layers.Dense(300, activation="relu")(x))
model = keras.Model(inputs, layers.Dense(80, activation="softmax")(x))
model.compile(keras.optimizers.Adam(1e-3, gradient_accumulation_steps=4), "categorical_crossentropy",
              metrics=["accuracy"])
model.fit(np.zeros((16, 52, 52, 3), "float32"), np.zeros((16, 80), "float32"), batch_size=8)
"""


@pytest.mark.parametrize(("text", "total", "within"), [(RESPONSES, 38_213_092, 0.02), (TWO_WAYS, 41_078_100, 0.03)])
def test_what_is_read_again_is_put_out(text: str, total: int, within: float) -> None:
    """By the XLA of jax 0.10.2 for a T4."""
    made = estimate(text)
    assert made.regime == "XLA"
    assert made.terms.total == pytest.approx(total, rel=within)
