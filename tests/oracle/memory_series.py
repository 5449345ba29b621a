"""Series that convolutions along one axis normalise and rectify: written before they were estimated."""

from __future__ import annotations

from collections.abc import Mapping

FULLY = """
import numpy as np
import keras
from keras import layers

inputs = keras.Input((300, 3))
x = inputs
for f, k in ((96, 8), (192, 5), (96, 3)):
    x = layers.Conv1D(f, k, padding="same")(x)
    x = layers.BatchNormalization()(x)
    x = layers.Activation("relu")(x)
x = layers.GlobalAveragePooling1D()(x)
model = keras.Model(inputs, layers.Dense(7, activation="softmax")(x))
model.compile(keras.optimizers.Adam(1e-3), "categorical_crossentropy", jit_compile=False)
x, y = np.zeros((2048, 300, 3), "float32"), np.zeros((2048, 7), "float32")
model.fit(x, y, batch_size=32)
"""
RESIDUAL = """
import numpy as np
import keras
from keras import layers


def block(x, f):
    h = layers.Conv1D(f, 7, padding="same", use_bias=False)(x)
    h = layers.ReLU()(layers.BatchNormalization()(h))
    h = layers.Conv1D(f, 5, padding="same", use_bias=False)(h)
    h = layers.ReLU()(layers.BatchNormalization()(h))
    h = layers.Conv1D(f, 3, padding="same", use_bias=False)(h)
    h = layers.BatchNormalization()(h)
    s = layers.BatchNormalization()(layers.Conv1D(f, 1, padding="same", use_bias=False)(x))
    return layers.ReLU()(layers.Add()([h, s]))


inputs = keras.Input((256, 6))
x = block(block(block(inputs, 64), 128), 128)
x = layers.GlobalAveragePooling1D()(x)
model = keras.Model(inputs, layers.Dense(12, activation="softmax")(x))
model.compile(keras.optimizers.SGD(0.01, momentum=0.9), "sparse_categorical_crossentropy", jit_compile=False)
x, y = np.zeros((2048, 256, 6), "float32"), np.zeros((2048,), "int32")
model.fit(x, y, batch_size=32)
"""
STANDARD = """
import numpy as np
import keras
from keras import layers

inputs = keras.Input((500, 1))
x = inputs
for _ in range(3):
    x = layers.Conv1D(64, 3, padding="same")(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU()(x)
x = layers.GlobalAveragePooling1D()(x)
model = keras.Model(inputs, layers.Dense(2, activation="softmax")(x))
model.compile("adam", "sparse_categorical_crossentropy", metrics=["sparse_categorical_accuracy"], jit_compile=False)
x, y = np.zeros((4096, 500, 1), "float32"), np.zeros((4096,), "int32")
model.fit(x, y, batch_size=64, epochs=500)
"""
BLOCKS = """
import numpy as np
import keras
from keras import layers

def block(x, n, down):
    y = layers.Conv1D(n, 3, strides=2 if down else 1, padding="same", use_bias=False)(x)
    y = layers.BatchNormalization()(y)
    y = layers.ReLU()(y)
    y = layers.Conv1D(n, 3, padding="same", use_bias=False)(y)
    y = layers.BatchNormalization()(y)
    if down:
        SHORTER
    return layers.ReLU()(layers.add([x, y]))

inputs = keras.Input((1024, 4))
x = layers.Conv1D(16, 3, padding="same")(inputs)
for n, down in ((16, False), (32, True), (32, False), (64, True), (64, False)):
    x = block(x, n, down)
x = layers.GlobalAveragePooling1D()(x)
model = keras.Model(inputs, layers.Dense(9)(x))
x = np.zeros((4 * 32, 1024, 4), "float32")
y = np.zeros((4 * 32, 9), "float32")
model.compile(optimizer="adam", loss="mse", jit_compile=False)
model.fit(x, y, batch_size=32)
"""
STRIDES = BLOCKS.replace("SHORTER", 'x = layers.Conv1D(n, 1, strides=2, padding="same")(x)')
POOLS = BLOCKS.replace("SHORTER", 'x = layers.Conv1D(n, 1, padding="same")(layers.MaxPooling1D(2)(x))')
SERIES: Mapping[str, str] = {"series_wide": FULLY, "series_residual": RESIDUAL, "series": STANDARD,
                             "series_strided": STRIDES, "series_pooled": POOLS}
"""The last two: of less than the cache it is not told what is cut off, and zeros of a pool beside a convolution come
late."""
