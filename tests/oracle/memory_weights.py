"""Programs whose weights take most as they are updated, and two whose gradients of kernels all come last."""

from __future__ import annotations

from collections.abc import Mapping

ONE_SHOT = """
import numpy as np
import keras
from keras import layers, ops

base = keras.Sequential([
    keras.Input((105, 105, 1)),
    layers.Conv2D(64, 10, activation="relu", kernel_regularizer=keras.regularizers.L2(2e-4)), layers.MaxPooling2D(),
    layers.Conv2D(128, 7, activation="relu", kernel_regularizer=keras.regularizers.L2(2e-4)), layers.MaxPooling2D(),
    layers.Conv2D(128, 4, activation="relu", kernel_regularizer=keras.regularizers.L2(2e-4)), layers.MaxPooling2D(),
    layers.Conv2D(256, 4, activation="relu", kernel_regularizer=keras.regularizers.L2(2e-4)), layers.Flatten(),
    layers.Dense(4096, activation="sigmoid", kernel_regularizer=keras.regularizers.L2(1e-3))])
left, right = keras.Input((105, 105, 1)), keras.Input((105, 105, 1))
distance = layers.Lambda(lambda t: ops.abs(t[0] - t[1]))([base(left), base(right)])
model = keras.Model([left, right], layers.Dense(1, activation="sigmoid")(distance))
model.compile(keras.optimizers.Adam(6e-5), "binary_crossentropy", jit_compile=False)
x = [np.zeros((256, 105, 105, 1), "float32"), np.zeros((256, 105, 105, 1), "float32")]
y = np.zeros((256, 1), "float32")
model.fit(x, y, batch_size=8)
"""
BEATS = """
import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

model = keras.Sequential([keras.Input((3600, 2))])
for filters, size in ((32, 16), (64, 16), (128, 8), (128, 4)):
    model.add(layers.Conv1D(filters, size, padding="same"))
    model.add(layers.BatchNormalization())
    model.add(layers.Activation("relu"))
    if size > 4:
        model.add(layers.MaxPooling1D(2))
model.add(layers.GlobalAveragePooling1D())
model.add(layers.Dense(64, activation="relu"))
model.add(layers.Dropout(0.3))
model.add(layers.Dense(5, activation="softmax"))
model.compile("adam", "categorical_crossentropy", metrics=["accuracy"], jit_compile=False)
x, y = np.zeros((512, 3600, 2), "float32"), np.zeros((512, 5), "float32")
model.fit(x, y, epochs=20, batch_size=16)
"""
SIGNALS = """
import numpy as np
import keras
from keras import layers

model = keras.Sequential([keras.Input((1000, 4))])
for filters in (32, 64, 128):
    model.add(layers.Conv1D(filters, 3, padding="same", activation="relu"))
    model.add(layers.Conv1D(filters, 3, padding="same", activation="relu"))
    model.add(layers.MaxPooling1D(2))
model.add(layers.GlobalAveragePooling1D())
model.add(layers.Dense(5, activation="softmax"))
model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
x, y = np.zeros((256, 1000, 4), "float32"), np.zeros((256,), "int32")
model.fit(x, y, batch_size=64)
"""
SHARED = """
import numpy as np
import keras
from keras import layers
POLICY
shared = LAYER
given = [keras.Input(SHAPE) for _ in range(TIMES)]
parts = [layers.Flatten()(shared(one)) for one in given]
model = keras.Model(given, layers.Dense(1)(layers.Concatenate()(parts) if len(parts) > 1 else parts[0]))
model.compile(OPTIMIZER, "mse", jit_compile=False)
x, y = [np.zeros((64, *SHAPE), "float32") for _ in given], np.zeros((64, 1), "float32")
model.fit(x, y, batch_size=8)
"""
DENSE = 'layers.Dense(4096, activation="relu")', "(2048,)"
PENALIZED = 'layers.Dense(4096, activation="relu", kernel_regularizer="l2")', "(2048,)"
CONVOLVED = 'layers.Conv2D(512, 5, activation="relu")', "(8, 8, 256)"
HALF = 'keras.mixed_precision.set_global_policy("mixed_float16")'


def shared(made: tuple[str, str], times: int, optimizer: str = '"adam"', policy: str = "") -> str:
    layer, shape = made
    text = SHARED.replace("LAYER", layer).replace("SHAPE", shape).replace("TIMES", str(times))
    return text.replace("OPTIMIZER", optimizer).replace("POLICY", policy)


WEIGHTS: Mapping[str, str] = {
    "one_shot": ONE_SHOT, "beats": BEATS, "twice_along": SIGNALS, "shared_twice": shared(DENSE, 2),
    "shared_thrice": shared(DENSE, 3),
    "penalized": shared(PENALIZED, 1), "penalized_thrice": shared(PENALIZED, 3), "kernel": shared(CONVOLVED, 1),
    "kernel_sgd": shared(CONVOLVED, 1, '"sgd"'), "kernel_half": shared(CONVOLVED, 1, policy=HALF)}
