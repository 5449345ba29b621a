"""Programs whose order of execution or whose gates decide what XLA has alive: written before they were estimated."""

from __future__ import annotations

from collections.abc import Mapping

SPEECH = """
import numpy as np
import keras
from keras import layers


def glu(x, f, k):
    a = layers.Conv1D(f, k, padding="same")(x)
    b = layers.Conv1D(f, k, padding="same", activation="sigmoid")(x)
    return layers.Multiply()([a, b])


inputs = keras.Input((400, 80))
x = layers.GaussianNoise(0.05)(inputs)
for f in (128, 128, 192, 192, 256):
    s = layers.Conv1D(f, 1)(x)
    h = layers.LayerNormalization()(glu(x, f, 5))
    x = layers.Add()([s, layers.SpatialDropout1D(0.1)(h)])
x = layers.Dense(512, activation="swish")(x)
model = keras.Model(inputs, layers.Dense(42, activation="softmax")(x))
nadam = keras.optimizers.Nadam(1e-3, use_ema=True, ema_momentum=0.99)
model.compile(nadam, "sparse_categorical_crossentropy", jit_compile=False)
x, y = np.zeros((256, 400, 80), "float32"), np.zeros((256, 400), "int32")
model.fit(x, y, batch_size=16)
"""
PAINTED = """
import numpy as np
import tensorflow as tf
import keras
from keras import layers


def down(filters, norm=True):
    block = keras.Sequential([layers.Conv2D(filters, 4, strides=2, padding="same", use_bias=False)])
    if norm:
        block.add(layers.BatchNormalization())
    block.add(layers.LeakyReLU())
    return block


def up(filters, drop=False):
    block = keras.Sequential([layers.Conv2DTranspose(filters, 4, strides=2, padding="same", use_bias=False),
                              layers.BatchNormalization()])
    if drop:
        block.add(layers.Dropout(0.5))
    block.add(layers.ReLU())
    return block


def make_generator():
    inputs = keras.Input((128, 128, 3))
    h, skips = inputs, []
    for i, f in enumerate((64, 128, 256, 512, 512)):
        h = down(f, i > 0)(h)
        skips.append(h)
    for f, s in zip((512, 256, 128, 64), reversed(skips[:-1])):
        h = layers.Concatenate()([up(f, f == 512)(h), s])
    return keras.Model(inputs, layers.Conv2DTranspose(3, 4, strides=2, padding="same", activation="tanh")(h))


def make_discriminator():
    a, b = keras.Input((128, 128, 3)), keras.Input((128, 128, 3))
    h = layers.Concatenate()([a, b])
    for i, f in enumerate((64, 128, 256)):
        h = down(f, i > 0)(h)
    return keras.Model([a, b], layers.Conv2D(1, 4)(h))


class Pix2Pix(keras.Model):
    def __init__(self):
        super().__init__()
        self.generator = make_generator()
        self.discriminator = make_discriminator()
        self.g_opt = keras.optimizers.Adam(2e-4, beta_1=0.5)
        self.d_opt = keras.optimizers.Adam(2e-4, beta_1=0.5)
        self.g_opt.build(self.generator.trainable_variables)
        self.d_opt.build(self.discriminator.trainable_variables)
        self.bce = keras.losses.BinaryCrossentropy(from_logits=True)

    def train_step(self, data):
        source, target = data
        with tf.GradientTape() as gt, tf.GradientTape() as dt:
            fake = self.generator(source, training=True)
            real_out = self.discriminator([source, target], training=True)
            fake_out = self.discriminator([source, fake], training=True)
            g_loss = self.bce(tf.ones_like(fake_out), fake_out) + 100 * tf.reduce_mean(tf.abs(target - fake))
            d_loss = self.bce(tf.ones_like(real_out), real_out) + self.bce(tf.zeros_like(fake_out), fake_out)
        g = gt.gradient(g_loss, self.generator.trainable_variables)
        d = dt.gradient(d_loss, self.discriminator.trainable_variables)
        self.g_opt.apply_gradients(zip(g, self.generator.trainable_variables))
        self.d_opt.apply_gradients(zip(d, self.discriminator.trainable_variables))
        return {"g": g_loss, "d": d_loss}


model = Pix2Pix()
model.compile(jit_compile=False)
x, y = np.zeros((64, 128, 128, 3), "float32"), np.zeros((64, 128, 128, 3), "float32")
model.fit(x, y, batch_size=1)
"""
DIFFUSED = """
import numpy as np
import keras
from keras import layers


def block(x, f):
    s = x if x.shape[-1] == f else layers.Conv2D(f, 1)(x)
    h = layers.GroupNormalization(8)(x)
    h = keras.activations.swish(h)
    h = layers.Conv2D(f, 3, padding="same")(h)
    h = layers.GroupNormalization(8)(h)
    h = keras.activations.swish(h)
    h = layers.Dropout(0.1)(h)
    h = layers.Conv2D(f, 3, padding="same")(h)
    return layers.Add()([s, h])


image = keras.Input((64, 64, 3))
t = keras.Input((1,))
e = layers.Dense(128, activation="swish")(t)
x = layers.Conv2D(32, 3, padding="same")(image)
skips = [x]
for f in (32, 64, 128):
    x = block(x, f)
    x = layers.Add()([x, layers.Reshape((1, 1, f))(layers.Dense(f)(e))])
    skips.append(x)
    x = layers.Conv2D(f, 3, strides=2, padding="same")(x)
x = block(x, 128)
for f in (128, 64, 32):
    x = layers.UpSampling2D(interpolation="nearest")(x)
    x = layers.Conv2D(f, 3, padding="same")(x)
    x = layers.Concatenate()([x, skips.pop()])
    x = block(x, f)
x = layers.GroupNormalization(8)(x)
x = keras.activations.swish(x)
model = keras.Model([image, t], layers.Conv2D(3, 3, padding="same", kernel_initializer="zeros")(x))
model.compile(keras.optimizers.AdamW(1e-4, weight_decay=1e-2, use_ema=True), "mean_absolute_error", jit_compile=False)
x, n, y = np.zeros((64, 64, 64, 3), "float32"), np.zeros((64, 1), "float32"), np.zeros((64, 64, 64, 3), "float32")
model.fit([x, n], y, batch_size=8)
"""
ANCHORED = """
import numpy as np
import keras
from keras import layers, ops

net = keras.Sequential([keras.Input((64, 64, 3))])
for f in (32, 64, 128):
    net.add(layers.Conv2D(f, 3, padding="same", activation="relu"))
    net.add(layers.BatchNormalization())
    net.add(layers.MaxPooling2D())
net.add(layers.GlobalAveragePooling2D())
net.add(layers.Dense(64))
a, p, n = keras.Input((64, 64, 3)), keras.Input((64, 64, 3)), keras.Input((64, 64, 3))
ea, ep, en = net(a), net(p), net(n)
distance = layers.Lambda(lambda t: ops.sum(ops.square(t[0] - t[1]), axis=1, keepdims=True))
d1, d2 = distance([ea, ep]), distance([ea, en])
model = keras.Model([a, p, n], layers.Concatenate()([d1, d2]))
loss = lambda y, d: ops.mean(ops.maximum(d[:, 0] - d[:, 1] + 0.5, 0))
model.compile(keras.optimizers.Adam(1e-4), loss, jit_compile=False)
x, y = np.zeros((256, 64, 64, 3), "float32"), np.zeros((256, 2), "float32")
model.fit([x, x, x], y, batch_size=16)
"""
GATED: Mapping[str, str] = {
    "anchored": ANCHORED, "speech": SPEECH, "painted_once": PAINTED, "diffused": DIFFUSED}
