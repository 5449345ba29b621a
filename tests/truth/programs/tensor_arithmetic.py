"""Raw TensorFlow between the layers of a subclassed model."""

import tensorflow as tf
from tensorflow.keras import Model, layers


class Attention2D(layers.Layer):
    def __init__(self, heads=2):
        super().__init__()
        self.heads = heads

    def build(self, input_shape):
        self.c = input_shape[-1]
        self.qkv = layers.Dense(3 * self.c)
        self.out = layers.Dense(self.c)

    def call(self, x):
        h, w = x.shape[1], x.shape[2]
        qkv = tf.reshape(self.qkv(x), [-1, h * w, 3, self.heads, self.c // self.heads])
        q, k, v = tf.unstack(tf.transpose(qkv, [2, 0, 3, 1, 4]))
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / tf.sqrt(float(self.c)))
        y = tf.einsum("bhij,bhjd->bihd", weights, v)
        return x + self.out(tf.reshape(y, [-1, h, w, self.c]))


class Net(Model):
    def __init__(self):
        super().__init__()
        self.conv = layers.Conv2D(24, 3, strides=2)
        self.attend = Attention2D(heads=3)
        self.mix = layers.Conv2D(12, 1)
        self.last = layers.Dense(4)

    def call(self, x):
        x = tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]])
        x = self.attend(self.conv(x))
        a, b = tf.split(x, 2, axis=-1)
        x = self.mix(tf.concat([a * b, tf.nn.relu(a), b[..., :6]], axis=-1))
        up = tf.image.resize(x, (8, 8))
        grid = tf.stack([tf.reduce_max(up, axis=1), tf.reduce_mean(up, axis=2)], axis=1)
        x = tf.squeeze(tf.expand_dims(grid, 1), axis=1)
        return self.last(tf.reshape(x, (tf.shape(x)[0], -1)))


net = Net()
y = net(tf.random.normal([2, 30, 30, 3]))
