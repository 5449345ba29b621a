"""Programs in the styles that users write, each with its own optimizer and batch size, of which XLA is asked."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD

MIXED = HEAD + 'keras.mixed_precision.set_global_policy("mixed_float16")\n'
CIFAR = HEAD + """
model = keras.Sequential([keras.Input((32, 32, 3))])
for width in (64, 128, 256):
    model.add(layers.Conv2D(width, 3, padding="same"))
    model.add(layers.ELU())
    model.add(layers.Conv2D(width, 3, padding="same", activation="elu"))
    model.add(layers.AveragePooling2D(2))
    model.add(layers.Dropout(0.25))
model.add(layers.Flatten())
model.add(layers.Dense(1024, activation="elu"))
model.add(layers.Dropout(0.5))
model.add(layers.Dense(100, activation="softmax"))
model.compile(keras.optimizers.SGD(0.05, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
x, y = np.zeros((512, 32, 32, 3), "float32"), np.zeros((512,), "int32")
model.fit(x, y, batch_size=128)
"""
NORMED = MIXED + """
inputs = keras.Input((96, 96, 3))
x = layers.Rescaling(1 / 255)(inputs)
for filters, count in ((32, 2), (64, 2), (128, 3), (256, 3)):
    for _ in range(count):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    x = layers.MaxPooling2D()(x)
x = layers.Dropout(0.3)(layers.Dense(256, activation="relu")(layers.GlobalAveragePooling2D()(x)))
model = keras.Model(inputs, layers.Dense(12, activation="softmax", dtype="float32")(x))
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
x, y = np.zeros((128, 96, 96, 3), "uint8"), np.zeros((128,), "int32")
model.fit(x, y, batch_size=64)
"""
LONG = HEAD + """
inputs = keras.Input((1024, 32))
x = layers.Dense(64)(inputs)
for _ in range(2):
    x = layers.LayerNormalization()(layers.Add()([x, layers.MultiHeadAttention(4, 16)(x, x)]))
    y = layers.Conv1D(64, 1)(layers.Conv1D(128, 1, activation="relu")(x))
    x = layers.LayerNormalization()(layers.Add()([x, y]))
x = layers.GlobalAveragePooling1D(data_format="channels_first")(x)
x = layers.Dropout(0.4)(layers.Dense(128, activation="relu")(x))
model = keras.Model(inputs, layers.Dense(5, activation="softmax")(x))
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((64, 1024, 32), "float32"), np.zeros((64,), "int32")
model.fit(x, y, batch_size=8)
"""
HEADED = HEAD + """
model = keras.Sequential([
    keras.Input((64, 64, 3)), layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
    layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
    layers.Dense(4096, activation="relu"), layers.Dropout(0.5), layers.Dense(4096, activation="relu"),
    layers.Dropout(0.5), layers.Dense(1000, activation="softmax")])
model.compile(keras.optimizers.RMSprop(1e-4), "categorical_crossentropy", metrics=["accuracy"])
x, y = np.zeros((64, 64, 64, 3), "float32"), np.zeros((64, 1000), "float32")
model.fit(x, y, batch_size=32)
"""
SEPARATED = HEAD + """
def separated(x, filters, strides):
    x = layers.ZeroPadding2D(((0, 1), (0, 1)))(x) if strides == 2 else x
    x = layers.DepthwiseConv2D(3, strides, "valid" if strides == 2 else "same", use_bias=False)(x)
    x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    return layers.ReLU(6.0)(layers.BatchNormalization()(layers.Conv2D(filters, 1, use_bias=False)(x)))


inputs = keras.Input((128, 128, 3))
x = layers.ReLU(6.0)(layers.BatchNormalization()(layers.Conv2D(32, 3, 2, "same", use_bias=False)(inputs)))
for filters, strides in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)):
    x = separated(x, filters, strides)
x = layers.Dropout(1e-3)(layers.GlobalAveragePooling2D(keepdims=True)(x))
model = keras.Model(inputs, layers.Softmax()(layers.Flatten()(layers.Conv2D(40, 1)(x))))
model.compile(keras.optimizers.RMSprop(0.045, momentum=0.9), "categorical_crossentropy")
x, y = np.zeros((64, 128, 128, 3), "float32"), np.zeros((64, 40), "float32")
model.fit(x, y, batch_size=32)
"""
CODED = HEAD + """
from keras import ops


class Sampling(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seed_generator = keras.random.SeedGenerator(1)

    def call(self, inputs):
        mean, spread = inputs
        self.add_loss(-0.5 * ops.mean(1 + spread - ops.square(mean) - ops.exp(spread)))
        return mean + ops.exp(0.5 * spread) * keras.random.normal(ops.shape(mean), seed=self.seed_generator)


x = inputs = keras.Input((64, 64, 3))
for filters in (32, 64, 128):
    x = layers.LeakyReLU()(layers.Conv2D(filters, 3, strides=2, padding="same")(x))
x = layers.Dense(256, activation="relu")(layers.Flatten()(x))
z = Sampling()([layers.Dense(64)(x), layers.Dense(64)(x)])
x = layers.Reshape((8, 8, 128))(layers.Dense(8192, activation="relu")(z))
for filters in (128, 64, 32):
    x = layers.LeakyReLU()(layers.Conv2DTranspose(filters, 3, strides=2, padding="same")(x))
model = keras.Model(inputs, layers.Conv2DTranspose(3, 3, activation="sigmoid", padding="same")(x))
model.compile("adam", "mse")
x = y = np.zeros((128, 64, 64, 3), "float32")
model.fit(x, y, batch_size=64)
"""
BLOCKS = HEAD + """
def block(x, width):
    y = layers.LayerNormalization(epsilon=1e-6)(layers.DepthwiseConv2D(7, padding="same")(x))
    return layers.Add()([x, layers.Dense(width)(layers.Dense(4 * width, activation="gelu")(y))])


inputs = keras.Input((64, 64, 3))
x = layers.LayerNormalization(epsilon=1e-6)(layers.Conv2D(48, 4, strides=4)(inputs))
for width in (48, 96, 192):
    if width != 48:
        x = layers.Conv2D(width, 2, strides=2)(layers.LayerNormalization(epsilon=1e-6)(x))
    x = block(block(x, width), width)
x = layers.LayerNormalization(epsilon=1e-6)(layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, layers.Dense(20)(x))
model.compile(keras.optimizers.AdamW(4e-3), keras.losses.CategoricalCrossentropy(from_logits=True))
x, y = np.zeros((128, 64, 64, 3), "float32"), np.zeros((128, 20), "float32")
model.fit(x, y, batch_size=64)
"""
SOUND = HEAD + """
x = inputs = keras.Input((8000, 1))
for number, (extent, strides) in enumerate(((10, 5), (3, 2), (3, 2), (3, 2), (2, 2))):
    x = layers.Conv1D(128, extent, strides=strides, use_bias=False)(x)
    x = layers.Activation("gelu")(layers.GroupNormalization(1 if number else 128)(x))
x = layers.Dense(192)(layers.LayerNormalization()(x))
x = layers.Add()([x, layers.Activation("gelu")(layers.Conv1D(192, 32, padding="same", groups=4)(x))])
for _ in range(3):
    a = layers.MultiHeadAttention(4, 48, dropout=0.1)(x, x)
    x = layers.LayerNormalization()(layers.Add()([x, layers.Dropout(0.1)(a)]))
    f = layers.Dense(192)(layers.Dense(768, activation="gelu")(x))
    x = layers.LayerNormalization()(layers.Add()([x, layers.Dropout(0.1)(f)]))
model = keras.Model(inputs, layers.Dense(30, activation="softmax")(layers.GlobalAveragePooling1D()(x)))
model.compile(keras.optimizers.Adam(1e-4), "categorical_crossentropy", metrics=["accuracy"])
x, y = np.zeros((32, 8000, 1), "float32"), np.zeros((32, 30), "float32")
model.fit(x, y, batch_size=16)
"""
ROWS = HEAD + """
model = keras.Sequential([keras.Input((200,))])
for units in (1024, 512, 512, 256):
    model.add(layers.Dense(units, kernel_regularizer="l2"))
    model.add(layers.BatchNormalization())
    model.add(layers.Activation("selu"))
    model.add(layers.Dropout(0.3))
model.add(layers.Dense(1))
model.compile(keras.optimizers.Nadam(), "huber", metrics=["mae"])
x, y = np.zeros((8192, 200), "float32"), np.zeros((8192, 1), "float32")
model.fit(x, y, batch_size=8192)
"""
LEAKY = HEAD + """
def block(x, filters):
    for _ in range(2):
        x = layers.LeakyReLU(0.1)(layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same")(x)))
    return x


x = inputs = keras.Input((128, 128, 1))
skips = []
for filters in (16, 32, 64):
    x = block(x, filters)
    skips.append(x)
    x = layers.MaxPooling2D()(x)
x = layers.Dropout(0.3)(block(x, 128))
for filters, skip in zip((64, 32, 16), skips[::-1]):
    x = layers.Conv2D(filters, 2, padding="same")(layers.UpSampling2D(interpolation="bilinear")(x))
    x = block(layers.concatenate([skip, x]), filters)
model = keras.Model(inputs, layers.Conv2D(3, 1, activation="softmax")(x))
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
x, y = np.zeros((32, 128, 128, 1), "float32"), np.zeros((32, 128, 128), "int32")
model.fit(x, y, batch_size=16)
"""
BOTTLED = HEAD + """
def normed(x):
    return layers.ReLU()(layers.BatchNormalization()(x))


inputs = keras.Input((64, 64, 3))
x = layers.Conv2D(24, 3, padding="same", use_bias=False)(inputs)
for _ in range(2):
    for _ in range(3):
        y = layers.Conv2D(48, 1, use_bias=False)(normed(x))
        x = layers.Concatenate()([x, layers.Conv2D(12, 3, padding="same", use_bias=False)(normed(y))])
    x = layers.AveragePooling2D(2)(layers.Conv2D(x.shape[-1] // 2, 1, use_bias=False)(normed(x)))
x = layers.GlobalAveragePooling2D()(normed(x))
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(x))
model.compile("rmsprop", "sparse_categorical_crossentropy")
x, y = np.zeros((64, 64, 64, 3), "float32"), np.zeros((64,), "int32")
model.fit(x, y, batch_size=64)
"""
HYBRID = MIXED + """
inputs = keras.Input((64, 64, 3))
x = layers.Conv2D(64, 3, strides=2, padding="same", activation="gelu")(inputs)
x = layers.Reshape((256, 128))(layers.Conv2D(128, 3, strides=2, padding="same", activation="gelu")(x))
for _ in range(3):
    h = layers.LayerNormalization()(x)
    x = layers.Add()([x, layers.Dropout(0.1)(layers.MultiHeadAttention(4, 32)(h, h))])
    h = layers.Dense(512, activation="gelu")(layers.LayerNormalization()(x))
    x = layers.Add()([x, layers.Dropout(0.1)(layers.Dense(128)(h))])
x = layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x))
model = keras.Model(inputs, layers.Dense(10, activation="softmax", dtype="float32")(x))
model.compile(keras.optimizers.AdamW(1e-3), "sparse_categorical_crossentropy")
x, y = np.zeros((64, 64, 64, 3), "float32"), np.zeros((64,), "int32")
model.fit(x, y, batch_size=64)
"""
USERS: Mapping[str, str] = {
    "cifar": CIFAR, "normed_mixed": NORMED, "long": LONG, "headed": HEADED, "separated": SEPARATED, "coded": CODED,
    "blocks": BLOCKS, "sound": SOUND, "rows": ROWS, "leaky": LEAKY,
    "bottled": BOTTLED, "hybrid": HYBRID}
