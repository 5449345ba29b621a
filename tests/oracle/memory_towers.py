"""Programs in which calls of the same layers go back side by side, or a step is computed early with the next one."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD
from tests.oracle.memory_steps import TAPED

TRIPLETS = HEAD + TAPED + """
def embedder():
    images = x = keras.Input((105, 105, 1))
    for filters, window in ((64, 10), (128, 7), (128, 4)):
        x = layers.Conv2D(filters, window, activation="relu")(x)
        x = layers.MaxPooling2D(padding="same")(x)
    x = layers.Flatten()(layers.Conv2D(256, 4, activation="relu")(x))
    return keras.Model(images, layers.UnitNormalization()(layers.Dense(256)(x)))


class Triplets(keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = embedder()

    def call(self, inputs):
        anchor, same, other = (self.embedding(one) for one in inputs)
        return tf.reduce_sum(tf.square(anchor - same), -1), tf.reduce_sum(tf.square(anchor - other), -1)

    def train_step(self, data):
        with tf.GradientTape() as tape:
            near, far = self(data[0], training=True)
            loss = tf.reduce_mean(tf.maximum(near - far + 0.5, 0.0))
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights))
        return {"loss": loss}


model = Triplets()
model.compile("adam")
images = np.zeros((32, 105, 105, 1), "float32")
model.fit((images, images, images), np.zeros(32), batch_size=16)
"""
CONDITIONAL = HEAD + TAPED + """
def of_label(width, *shape):
    label = keras.Input((1,), dtype="int32")
    x = layers.Dense(width)(layers.Flatten()(layers.Embedding(10, 50)(label)))
    return label, layers.Reshape(shape)(x)


def make_drawer():
    noise, (label, plane) = keras.Input((128,)), of_label(64, 8, 8, 1)
    x = layers.ReLU()(layers.BatchNormalization()(layers.Dense(8 * 8 * 256, use_bias=False)(noise)))
    x = layers.Concatenate()([layers.Reshape((8, 8, 256))(x), plane])
    for filters in (128, 64):
        x = layers.Conv2DTranspose(filters, 5, strides=2, padding="same", use_bias=False)(x)
        x = layers.LeakyReLU(0.2)(layers.BatchNormalization()(x))
    return keras.Model([noise, label], layers.Conv2DTranspose(3, 5, 2, padding="same", activation="tanh")(x))


def make_judge():
    images, (label, plane) = keras.Input((64, 64, 3)), of_label(64 * 64, 64, 64, 1)
    x = layers.Concatenate()([images, plane])
    for filters in (64, 128, 256):
        x = layers.Conv2D(filters, 4, strides=2, padding="same")(x)
        x = layers.Dropout(0.3)(layers.LeakyReLU(0.2)(x))
    return keras.Model([images, label], layers.Dense(1)(layers.Flatten()(x)))


class Conditional(keras.Model):
    def __init__(self, drawer, judge):
        super().__init__()
        self.drawer, self.judge = drawer, judge
        self.loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)

    def compile(self, g_optimizer, d_optimizer):
        super().compile()
        self.g_optimizer, self.d_optimizer = g_optimizer, d_optimizer

    def train_step(self, data):
        images, labels = data
        noise = tf.random.normal((tf.shape(images)[0], 128))
        with tf.GradientTape() as tape:
            drawn = self.drawer([noise, labels], training=True)
            real = self.judge([images, labels], training=True)
            false = self.judge([drawn, labels], training=True)
            d_loss = self.loss_fn(tf.ones_like(real) * 0.9, real) + self.loss_fn(tf.zeros_like(false), false)
        gradients = tape.gradient(d_loss, self.judge.trainable_weights)
        self.d_optimizer.apply_gradients(zip(gradients, self.judge.trainable_weights))
        noise = tf.random.normal((tf.shape(images)[0], 128))
        with tf.GradientTape() as tape:
            told = self.judge([self.drawer([noise, labels], training=True), labels], training=True)
            g_loss = self.loss_fn(tf.ones_like(told), told)
        gradients = tape.gradient(g_loss, self.drawer.trainable_weights)
        self.g_optimizer.apply_gradients(zip(gradients, self.drawer.trainable_weights))
        return {"d_loss": d_loss, "g_loss": g_loss}


model = Conditional(make_drawer(), make_judge())
model.compile(keras.optimizers.Adam(2e-4, beta_1=0.5), keras.optimizers.Adam(2e-4, beta_1=0.5))
model.fit(np.zeros((128, 64, 64, 3), "float32"), np.zeros((128, 1), "int32"), batch_size=32)
"""
HEADS = HEAD + """
def block(x, filters, count):
    for _ in range(count):
        x = layers.Conv2D(filters, 3, padding="same", kernel_regularizer="l2")(x)
        x = layers.BatchNormalization()(layers.Activation("relu")(x))
    return layers.Dropout(0.25)(layers.MaxPooling2D()(x))


inputs = keras.Input((128, 128, 3))
x = block(block(block(inputs, 32, 2), 64, 2), 128, 2)
age = layers.Dense(256, activation="relu")(layers.GlobalAveragePooling2D()(block(x, 128, 1)))
age = layers.Dense(1, name="age")(layers.Dropout(0.5)(age))
sex = layers.Dense(256, activation="relu", kernel_regularizer="l2")(layers.Flatten()(layers.MaxPooling2D(2)(x)))
sex = layers.Dense(1, activation="sigmoid", name="sex")(layers.Dropout(0.5)(sex))
model = keras.Model(inputs, {"age": age, "sex": sex})
model.compile("nadam", {"age": "huber", "sex": "binary_crossentropy"}, loss_weights={"age": 0.1, "sex": 1.0})
told = {"age": np.zeros((64, 1), "float32"), "sex": np.zeros((64, 1), "float32")}
model.fit(np.zeros((64, 128, 128, 3), "float32"), told, batch_size=16)
"""
TOWERS: Mapping[str, str] = {"triplets": TRIPLETS, "conditional": CONDITIONAL, "heads": HEADS}
