"""Networks on pictures as users write them, whose step is measured and estimated: each is there for what it showed."""

from __future__ import annotations

from tests.oracle.memory_models import CLASSIFIED, HEAD
from tests.oracle.memory_steps import TAPED

SHARPER = """def block(x):
    h = layers.PReLU(shared_axes=[1, 2])(layers.BatchNormalization()(layers.Conv2D(32, 3, padding="same")(x)))
    return layers.Add()([x, layers.BatchNormalization()(layers.Conv2D(32, 3, padding="same")(h))])

images = keras.Input((24, 24, 3))
h = first = layers.PReLU(shared_axes=[1, 2])(layers.Conv2D(32, 9, padding="same")(layers.Rescaling(1 / 255)(images)))
for _ in range(3):
    h = block(h)
h = layers.Add()([first, layers.BatchNormalization()(layers.Conv2D(32, 3, padding="same")(h))])
for _ in range(2):
    h = layers.Lambda(lambda t: tf.nn.depth_to_space(t, 2))(layers.Conv2D(128, 3, padding="same")(h))
    h = layers.PReLU(shared_axes=[1, 2])(h)
model = keras.Model(images, layers.Conv2D(3, 9, padding="same", activation="tanh")(h))
x, y = np.zeros((4 * BATCH, 24, 24, 3), "float32"), np.zeros((4 * BATCH, 96, 96, 3), "float32")
model.compile(OPTIMIZER, "mse", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
VIDEO = """model = keras.Sequential([
    keras.Input((6, 32, 32, 3)),
    layers.TimeDistributed(layers.Conv2D(16, 3, padding="same", activation="relu")),
    layers.TimeDistributed(layers.MaxPooling2D(4)), layers.TimeDistributed(layers.Dropout(0.25)),
    layers.TimeDistributed(layers.Conv2D(32, 3, padding="same", activation="relu")),
    layers.TimeDistributed(layers.BatchNormalization()), layers.TimeDistributed(layers.MaxPooling2D(2)),
    layers.TimeDistributed(layers.Flatten()), layers.Bidirectional(layers.LSTM(16)),
    layers.Dense(10, activation="softmax"),
])
"""
POSES = """def bottleneck(x, filters):
    short = x if x.shape[-1] == filters else layers.Conv2D(filters, 1)(x)
    h = layers.Conv2D(filters // 2, 1)(layers.ReLU()(layers.BatchNormalization()(x)))
    h = layers.Conv2D(filters // 2, 3, padding="same")(layers.ReLU()(layers.BatchNormalization()(h)))
    return layers.Add()([short, layers.Conv2D(filters, 1)(layers.ReLU()(layers.BatchNormalization()(h)))])

def hourglass(x, depth):
    up, low = bottleneck(x, 32), bottleneck(layers.MaxPooling2D()(x), 32)
    low = hourglass(low, depth - 1) if depth > 1 else bottleneck(low, 32)
    return layers.UpSampling2D()(bottleneck(low, 32)) + up

images = keras.Input((64, 64, 3))
h = bottleneck(layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(16, 7, 2, padding="same")(images))), 32)
maps = []
for stack in range(2):
    g = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(32, 1)(hourglass(h, 2))))
    maps.append(layers.Conv2D(8, 1)(g))
    h = h + layers.Conv2D(32, 1)(g) + layers.Conv2D(32, 1)(maps[-1])
model = keras.Model(images, maps)
x = np.zeros((4 * BATCH, 64, 64, 3), "float32")
y = [np.zeros((4 * BATCH, 32, 32, 8), "float32")] * 2
model.compile(OPTIMIZER, "mse", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
PULLED = """model = keras.Sequential([
    keras.Input((8, 24, 24, 1)),
    layers.Conv3D(16, 3, padding="same", activation="relu"), layers.MaxPooling3D((1, 2, 2)),
    layers.Conv3D(32, 3, padding="same", activation="relu"), layers.BatchNormalization(), layers.MaxPooling3D(2),
    layers.Flatten(), layers.Dense(128, activation="relu", kernel_regularizer=keras.regularizers.l2(1e-4)),
    layers.AlphaDropout(0.5), layers.Dense(10, activation="softmax"),
])
"""
BOXES = """def conv(x, filters, size, strides=1):
    x = layers.Conv2D(filters, size, strides, padding="same", use_bias=False,
                      kernel_regularizer=keras.regularizers.L2(5e-4))(x)
    return layers.LeakyReLU(0.1)(layers.BatchNormalization()(x))

def darknet(x, filters):
    x = conv(x, filters, 3, 2)
    return layers.Add()([x, conv(conv(x, filters // 2, 1), filters, 3)])

class Boxes(keras.losses.Loss):
    def call(self, y, p):
        at, size, seen, kind = tf.split(p, (2, 2, 1, 5), axis=-1)
        true_at, true_size, there, true_kind = tf.split(y, (2, 2, 1, 5), axis=-1)
        some = tf.squeeze(there, -1)
        off = tf.reduce_sum(tf.square(true_at - tf.sigmoid(at)), -1) + tf.reduce_sum(tf.square(true_size - size), -1)
        told = tf.squeeze(tf.nn.sigmoid_cross_entropy_with_logits(labels=there, logits=seen), -1)
        kinds = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=true_kind, logits=kind), -1)
        return tf.reduce_sum(some * (off + kinds) + told, axis=(1, 2))

images = keras.Input((64, 64, 3))
h = near = darknet(darknet(conv(images, 16, 3), 32), 64)
h = darknet(h, 128)
coarse = layers.Conv2D(10, 1)(conv(h, 128, 3))
h = layers.Concatenate()([layers.UpSampling2D()(conv(h, 64, 1)), near])
model = keras.Model(images, [coarse, layers.Conv2D(10, 1)(conv(h, 64, 3))])
x = np.zeros((4 * BATCH, 64, 64, 3), "float32")
y = [np.zeros((4 * BATCH, side, side, 10), "float32") for side in (8, 16)]
model.compile(OPTIMIZER, [Boxes(), Boxes()], jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
SHUFFLED = """def conv(x, filters):
    return layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(filters, 1, use_bias=False)(x)))

def unit(x, filters, strides):
    if strides == 1:
        half = x.shape[-1] // 2
        left, right = layers.Lambda(lambda t: t[..., :half])(x), layers.Lambda(lambda t: t[..., half:])(x)
    else:
        left = layers.DepthwiseConv2D(3, strides=2, padding="same", use_bias=False)(x)
        left, right = conv(layers.BatchNormalization()(left), filters // 2), x
    right = layers.DepthwiseConv2D(3, strides=strides, padding="same", use_bias=False)(conv(right, filters // 2))
    h = layers.Concatenate()([left, conv(layers.BatchNormalization()(right), filters // 2)])
    _, height, width, channels = h.shape
    h = layers.Permute((1, 2, 4, 3))(layers.Reshape((height, width, 2, channels // 2))(h))
    return layers.Reshape((height, width, channels))(h)

inputs = keras.Input((64, 64, 3))
h = layers.MaxPooling2D(3, 2, padding="same")(layers.Conv2D(24, 3, 2, padding="same", activation="relu")(inputs))
for filters, repeats in ((48, 2), (96, 3)):
    for place in range(repeats):
        h = unit(h, filters, 1 if place else 2)
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(conv(h, 256))))
"""
CAPSULES = """def squash(v):
    squared = tf.reduce_sum(tf.square(v), -1, keepdims=True)
    return squared / (1 + squared) / tf.sqrt(squared + 1e-7) * v

class Routing(layers.Layer):
    def __init__(self, count, width):
        super().__init__()
        self.count, self.width = count, width

    def build(self, shape):
        self.votes = self.add_weight(shape=(self.count, shape[1], self.width, shape[2]))

    def call(self, x):
        tiled = tf.tile(tf.expand_dims(tf.expand_dims(x, 1), -1), [1, self.count, 1, 1, 1])
        said = tf.squeeze(tf.matmul(self.votes, tiled), -1)
        belief = tf.zeros((tf.shape(x)[0], self.count, 1, x.shape[1]))
        for turn in range(2):
            out = squash(tf.matmul(tf.nn.softmax(belief, axis=1), said))
            if turn < 1:
                belief += tf.matmul(out, said, transpose_b=True)
        return tf.squeeze(out, 2)

def margins(y, p):
    return tf.reduce_sum(y * tf.square(tf.maximum(0.0, 0.9 - p))
                         + (1 - y) * tf.square(tf.maximum(0.0, p - 0.1)), 1)

images = keras.Input((28, 28, 1))
h = layers.Conv2D(32, 9, activation="relu")(images)
h = layers.Lambda(squash)(layers.Reshape((-1, 8))(layers.Conv2D(64, 9, 2)(h)))
lengths = layers.Lambda(lambda v: tf.sqrt(tf.reduce_sum(tf.square(v), -1) + 1e-7))(Routing(10, 16)(h))
model = keras.Model(images, lengths)
x, y = np.zeros((4 * BATCH, 28, 28, 1), "float32"), np.zeros((4 * BATCH, 10), "float32")
model.compile(OPTIMIZER, margins, jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
PICTURED: dict[str, str] = {
    "capsules": HEAD + TAPED + CAPSULES,
    "sharper": HEAD + TAPED + SHARPER,
    "video": HEAD + VIDEO + CLASSIFIED,
    "poses": HEAD + POSES,
    "pulled": HEAD + PULLED + CLASSIFIED,
    "boxes": HEAD + TAPED + BOXES,
    "shuffled": HEAD + SHUFFLED + CLASSIFIED,
}
"""Products of broadcast matrices, PReLU, steps of a video, hourglasses, penalties, losses of boxes, channels that
are shuffled."""
