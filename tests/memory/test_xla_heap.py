"""Where XLA's heap puts the scratch of products, what it adds up at once, and what half precision keeps of
normalisations: programs beside what its CUDA compiler assigns them (jax 0.10.2, a T4; TensorFlow 2.21, Keras 3.15)."""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

TEXTS = HEAD + """
inputs = keras.Input((200,))
x = layers.SpatialDropout1D(0.2)(layers.Embedding(10000, 64)(inputs))
parts = [layers.GlobalMaxPooling1D()(layers.Conv1D(64, k, activation="relu")(x)) for k in (2, 3, 4, 5)]
x = layers.Dropout(0.5)(layers.Dense(128, activation="relu")(layers.Concatenate()(parts)))
model = keras.Model(inputs, layers.Dense(5, activation="softmax")(x))
x, y = np.zeros((32, 200), "float32"), np.zeros((32,), "int32")
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y, batch_size=8)
"""
WAVES = HEAD + """
inputs = keras.Input((512, 1))
x = layers.Conv1D(32, 1)(inputs)
skips = []
for rate in (1, 2, 4, 8, 16, 32) * 2:
    t = layers.Conv1D(32, 2, dilation_rate=rate, padding="causal", activation="tanh")(x)
    g = layers.Conv1D(32, 2, dilation_rate=rate, padding="causal", activation="sigmoid")(x)
    z = layers.Multiply()([t, g])
    skips.append(layers.Conv1D(64, 1)(z))
    x = layers.Add()([x, layers.Conv1D(32, 1)(z)])
y = layers.Conv1D(64, 1, activation="relu")(layers.ReLU()(layers.Add()(skips)))
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling1D()(y)))
x, y = np.zeros((32, 512, 1), "float32"), np.zeros((32,), "int32")
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y, batch_size=8)
"""
WIDTHS = HEAD + """
keras.mixed_precision.set_global_policy("mixed_float16")
inputs = x = keras.Input((16, 16, 3))
for c in (16, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 256, 320, 384):
    x = layers.Conv2D(c, 3, padding="same", use_bias=False)(x)
    x = layers.Activation("relu")(layers.BatchNormalization()(x))
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x)))
x, y = np.zeros((64, 16, 16, 3), "float32"), np.zeros((64,), "int32")
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y, batch_size=16)
"""
JUDGED = HEAD + """
model = keras.Sequential([keras.Input((64, 64, 3))])
for f in (16, 32, 64):
    model.add(layers.Conv2D(f, 3, padding="same", activation="relu"))
    model.add(layers.MaxPooling2D())
model.add(layers.GlobalAveragePooling2D())
model.add(layers.Dense(1, activation="sigmoid"))
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((32, 64, 64, 3), "float32"), np.zeros((32, 1), "float32"), batch_size=8)
"""


def test_scratch_that_is_larger_than_all_else_leaves_its_place_to_what_is_there_without_it() -> None:
    assert estimate(TEXTS).terms.total == pytest.approx(15_500_324, rel=0.02)


def test_convolutions_that_are_only_added_up_are_added_one_by_one() -> None:
    assert estimate(WAVES).terms.total == pytest.approx(37_186_512, rel=0.01)


def test_differences_from_the_mean_are_put_out_of_some_numbers_of_channels() -> None:
    assert estimate(WIDTHS).terms.total == pytest.approx(99_373_444, rel=0.015)


def test_a_product_with_a_column_takes_no_scratch() -> None:
    assert estimate(JUDGED).terms.total == pytest.approx(13_623_500, rel=0.015)
