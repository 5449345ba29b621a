"""Programs that XLA runs in another order than what frees most first, or that hold what towers and windows share."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD
from tests.oracle.memory_users import MIXED

TOWERS = HEAD + """
def embedding():
    x = inputs = keras.Input((96, 96, 1))
    for filters, window in ((64, 10), (128, 7), (128, 4)):
        x = layers.Conv2D(filters, window, activation="relu", kernel_regularizer="l2")(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(256, 4, activation="relu", kernel_regularizer="l2")(x)
    x = layers.Dense(1024, activation="sigmoid", kernel_regularizer=keras.regularizers.l2(1e-3))(layers.Flatten()(x))
    return keras.Model(inputs, x)
a, b = keras.Input((96, 96, 1)), keras.Input((96, 96, 1))
encoder = embedding()
apart = layers.Lambda(lambda pair: keras.ops.abs(pair[0] - pair[1]))([encoder(a), encoder(b)])
model = keras.Model([a, b], layers.Dense(1, activation="sigmoid")(apart))
model.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(learning_rate=6e-5))
x = np.zeros((64, 96, 96, 1), "float32")
model.fit([x, x], np.zeros(64, "float32"), batch_size=16)
"""
PYRAMID = HEAD + """
def convolved(x, filters=96, window=3, rate=1, use_bias=False):
    x = layers.Conv2D(filters, window, dilation_rate=rate, padding="same", use_bias=use_bias)(x)
    return layers.ReLU()(layers.BatchNormalization()(x))
def pyramid(x):
    rows, columns = x.shape[1:3]
    whole = convolved(layers.AveragePooling2D((rows, columns))(x), window=1, use_bias=True)
    whole = layers.UpSampling2D((rows, columns), interpolation="bilinear")(whole)
    parts = [convolved(x, window=1), convolved(x, rate=6), convolved(x, rate=12)]
    return convolved(layers.Concatenate()([whole, *parts]), window=1)
inputs = keras.Input((128, 128, 3))
x = convolved(inputs, 48)
low = x = convolved(layers.MaxPooling2D()(x), 96)
x = convolved(layers.MaxPooling2D()(x), 192)
x = pyramid(convolved(layers.MaxPooling2D()(x), 256))
x = layers.UpSampling2D((4, 4), interpolation="bilinear")(x)
x = layers.Concatenate()([x, convolved(low, 48, window=1)])
x = layers.UpSampling2D((2, 2), interpolation="bilinear")(convolved(convolved(x)))
model = keras.Model(inputs, layers.Conv2D(20, 1, padding="same")(x))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
model.fit(np.zeros((24, 128, 128, 3), "float32"), np.zeros((24, 128, 128, 1), "int32"), batch_size=8)
"""
TEMPORAL = HEAD + """
def block(x, filters, rate):
    y = layers.Conv1D(filters, 3, dilation_rate=rate, padding="causal")(x)
    y = layers.SpatialDropout1D(0.1)(layers.Activation("relu")(layers.LayerNormalization()(y)))
    y = layers.Conv1D(filters, 3, dilation_rate=rate, padding="causal")(y)
    y = layers.Activation("relu")(layers.LayerNormalization()(y))
    if x.shape[-1] != filters:
        x = layers.Conv1D(filters, 1)(x)
    return layers.add([x, y])
x = inputs = keras.Input((512, 8))
for rate in (1, 2, 4, 8, 16):
    x = block(x, 64, rate)
model = keras.Model(inputs, layers.Dense(24)(layers.Lambda(lambda series: series[:, -1, :])(x)))
model.compile(keras.optimizers.SGD(1e-3, momentum=0.9, clipnorm=1.0), loss="huber")
model.fit(np.zeros((256, 512, 8), "float32"), np.zeros((256, 24), "float32"), batch_size=64)
"""
WINDOWS = MIXED + """
words = keras.Input((200,), dtype="int32")
x = layers.SpatialDropout1D(0.2)(layers.Embedding(20000, 128)(words))
parts = [layers.GlobalMaxPooling1D()(layers.Conv1D(128, window, activation="relu")(x)) for window in (3, 4, 5)]
x = layers.Dense(64, activation="relu")(layers.Dropout(0.5)(layers.Concatenate()(parts)))
model = keras.Model(words, layers.Dense(1, activation="sigmoid", dtype="float32")(x))
model.compile("nadam", "binary_crossentropy", metrics=["accuracy"])
model.fit(np.zeros((1024, 200), "int32"), np.zeros((1024, 1), "float32"), batch_size=256)
"""
RECTIFIED = HEAD + """
x = inputs = keras.Input((64, 64, 3))
for filters in (32, 64, 128):
    for _ in range(2):
        x = layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same", activation="relu")(x))
    x = layers.MaxPooling2D()(x)
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))
model.compile("adam", "mse")
model.fit(np.zeros((64, 64, 64, 3), "float32"), np.zeros((64, 10), "float32"), batch_size=16)
"""
SCHEDULED: Mapping[str, str] = {
    "towers": TOWERS, "pyramid": PYRAMID, "temporal": TEMPORAL, "windows": WINDOWS, "rectified": RECTIFIED}
