"""Programs in which several layers take the same, or whose gradients are written over what they are made of."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD

TRAINED = """
model.compile("adam", LOSS, jit_compile=False)
x, y = np.zeros((2 * BATCH, *model.input_shape[1:]), TAKEN), np.zeros((2 * BATCH, *LABELS), KIND)
model.fit(x, y, batch_size=BATCH)
"""
WORDS = HEAD + """
words = keras.Input((400,))
x = layers.SpatialDropout1D(0.3)(layers.Embedding(30000, 200)(words))
parts = [layers.GlobalMaxPooling1D()(layers.Conv1D(128, size, activation="relu")(x)) for size in (2, 3, 4, 5)]
x = layers.Dense(64, activation="relu")(layers.Dropout(0.5)(layers.concatenate(parts)))
model = keras.Model(words, layers.Dense(6, activation="sigmoid")(x))
"""
WAVES = HEAD + """
waves = keras.Input((2048, 1))
x, skips = layers.Conv1D(32, 2, padding="causal")(waves), []
for rate in 2 * (1, 2, 4, 8, 16, 32):
    gates = [layers.Conv1D(32, 2, dilation_rate=rate, padding="causal", activation=kind)(x)
             for kind in ("tanh", "sigmoid")]
    gated = layers.Multiply()(gates)
    skips.append(layers.Conv1D(32, 1)(gated))
    x = layers.Add()([x, layers.Conv1D(32, 1)(gated)])
x = layers.Conv1D(64, 1, activation="relu")(layers.Activation("relu")(layers.Add()(skips)))
model = keras.Model(waves, layers.Conv1D(256, 1, activation="softmax")(x))
"""
SCANS = HEAD + """
def twice(x, filters):
    for _ in range(2):
        x = layers.Activation("relu")(layers.BatchNormalization()(layers.Conv3D(filters, 3, padding="same")(x)))
    return x

scans = keras.Input((32, 64, 64, 1))
first = twice(scans, 8)
second = twice(layers.MaxPooling3D()(first), 16)
x = twice(layers.MaxPooling3D()(second), 32)
x = twice(layers.concatenate([layers.Conv3DTranspose(16, 2, strides=2, padding="same")(x), second]), 16)
x = twice(layers.concatenate([layers.UpSampling3D()(x), first]), 8)
model = keras.Model(scans, layers.Conv3D(1, 1, activation="sigmoid")(x))
"""
CLEANED = HEAD + """
x = noisy = keras.Input((96, 96, 3))
x = layers.GaussianNoise(0.1)(x)
for filters in (32, 64, 128):
    x = layers.Conv2D(filters, 3, strides=2, activation="elu", padding="same")(x)
for filters in (128, 64, 32):
    x = layers.Conv2DTranspose(filters, 4, strides=2, activation="elu", padding="same")(x)
model = keras.Model(noisy, layers.Conv2D(3, 3, activation="sigmoid", padding="same")(x))
"""
CLASSES = HEAD + """
def convolved(x, filters):
    return layers.Conv2D(filters, 3, padding="same", activation="relu")(x)

x = images = keras.Input((96, 96, 3))
skips = []
for filters in (32, 64, 128):
    x = convolved(convolved(x, filters), filters)
    skips.append(x)
    x = layers.MaxPooling2D()(x)
x = convolved(x, 256)
for filters, skip in zip((128, 64, 32), skips[::-1]):
    x = convolved(layers.concatenate([layers.UpSampling2D()(x), skip]), filters)
model = keras.Model(images, layers.Conv2D(21, 1, activation="softmax")(x))
"""
PAINTED = HEAD + """
import tensorflow as tf

class Normed(layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones")
        self.offset = self.add_weight(shape=(shape[-1],), initializer="zeros")

    def call(self, x):
        mean, var = tf.nn.moments(x, axes=[1, 2], keepdims=True)
        return self.scale * (x - mean) * tf.math.rsqrt(var + 1e-5) + self.offset

images, skips = keras.Input((128, 128, 3)), []
x = images
for filters in (64, 128, 256, 256):
    x = layers.Conv2D(filters, 4, strides=2, padding="same", use_bias=False)(x)
    x = layers.LeakyReLU(0.2)(x if filters == 64 else Normed()(x))
    skips.append(x)
for filters, skip in zip((256, 128, 64), skips[-2::-1]):
    x = Normed()(layers.Conv2DTranspose(filters, 4, strides=2, padding="same", use_bias=False)(x))
    x = layers.Concatenate()([layers.ReLU()(layers.Dropout(0.5)(x)), skip])
model = keras.Model(images, layers.Conv2DTranspose(3, 4, strides=2, padding="same", activation="tanh")(x))
"""
GRAPHS = HEAD + """
from keras import ops

class Joined(layers.Layer):
    def build(self, shapes):
        self.w = self.add_weight(shape=(shapes[0][-1], 128))
        self.b = self.add_weight(shape=(128,), initializer="zeros")

    def call(self, inputs):
        return ops.relu(ops.matmul(inputs[1], ops.matmul(inputs[0], self.w)) + self.b)

nodes, edges = keras.Input((60, 32)), keras.Input((60, 60))
near = layers.Lambda(lambda a: a / (ops.sum(a, axis=-1, keepdims=True) + 1e-6))(edges)
h, every = nodes, []
for _ in range(3):
    h = layers.BatchNormalization()(Joined()([h, near]))
    every.append(h)
h = layers.Concatenate()(every)
both = [layers.Dense(128, activation=kind)(h) for kind in ("sigmoid", "tanh")]
h = layers.Lambda(lambda t: ops.sum(t[0] * t[1], axis=1))(both)
model = keras.Model([nodes, edges], layers.Dense(1)(layers.Dense(64, activation="relu")(h)))
model.compile("adam", "mae", jit_compile=False)
x, y = [np.zeros((512, 60, size), "float32") for size in (32, 60)], np.zeros((512, 1), "float32")
model.fit(x, y, batch_size=256)
"""
CROSSED = "sparse_categorical_crossentropy"


def _trained(source: str, batch: int, labels: str, loss: str = "binary_crossentropy", taken: str = "float32") -> str:
    text = source + TRAINED.replace("LOSS", repr(loss)).replace("KIND", repr("int32" if loss == CROSSED else "float32"))
    return text.replace("TAKEN", repr(taken)).replace("LABELS", f"({labels})").replace("BATCH", str(batch))


BESIDE: Mapping[str, str] = {
    "words": _trained(WORDS, 256, "6,", taken="int32"), "waves": _trained(WAVES, 8, "2048,", CROSSED),
    "scans": _trained(SCANS, 2, "32, 64, 64, 1"), "cleaned": _trained(CLEANED, 32, "96, 96, 3", "mse"),
    "classes": _trained(CLASSES, 16, "96, 96", CROSSED), "painted": _trained(PAINTED, 8, "128, 128, 3", "mae"),
    "graphs": GRAPHS}
