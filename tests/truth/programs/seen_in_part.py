"""Extents that only run time shows: to Keras they are None where TensorFlow does not work them out."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Attention(layers.Layer):
    """Heads as in the tutorial: the number of steps is lost, though it cannot be another."""

    def __init__(self, width, heads):
        super().__init__()
        self.width, self.heads = width, heads
        self.query, self.out = layers.Dense(width), layers.Dense(width)

    def split(self, x, batch):
        x = tf.reshape(x, (batch, -1, self.heads, self.width // self.heads))
        return tf.transpose(x, [0, 2, 1, 3])

    def call(self, x):
        batch = tf.shape(x)[0]
        q = self.split(self.query(x), batch)
        weights = tf.nn.softmax(tf.matmul(q, q, transpose_b=True))
        mixed = tf.transpose(tf.matmul(weights, q), [0, 2, 1, 3])
        return self.out(tf.reshape(mixed, (batch, -1, self.width)))


steps = keras.Input((65, 64))
image = keras.Input((8, 6, 3))
attended = Attention(64, 4)(steps)
added = layers.Add()([steps, attended])
flat = layers.Lambda(lambda t: tf.reshape(t, (tf.shape(t)[0], -1)))(image)
whole = layers.Lambda(lambda t: tf.reshape(t, (-1, tf.shape(t)[1], 8, 8)))(steps)
joined = layers.Lambda(lambda t: tf.concat([tf.reshape(t, (tf.shape(t)[0], -1, 64)), t], 1))(steps)
summed = layers.Lambda(lambda t: tf.reshape(t, (tf.shape(t)[0], -1, 64)) + t)(steps)
larger = layers.Lambda(lambda t: tf.image.resize(t, tf.shape(t)[1:3] * 2))(image)
as_large = layers.Lambda(lambda t: tf.image.resize(t, tf.shape(t)[1:3]))(image)
model = keras.Model([steps, image], [added, flat, whole, joined, summed, larger, as_large])
