"""A functional model whose extents are open while it is built, called with real tensors by a subclassed one."""

import keras
import tensorflow as tf


class Heads(keras.layers.Layer):
    def __init__(self, heads, size, **kwargs):
        super().__init__(**kwargs)
        self.heads, self.size = heads, size
        self.query = keras.layers.Dense(heads * size)

    def call(self, inputs):
        shape = tf.shape(inputs)
        split = tf.reshape(self.query(inputs), (shape[0], shape[1], self.heads, self.size))
        return tf.transpose(split, (0, 2, 1, 3))


def block():
    inputs = keras.Input((17, 24))
    normed = keras.layers.LayerNormalization()(inputs)
    return keras.Model(inputs, Heads(3, 8)(normed))


class Encoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.block = block()
        self.drop = keras.layers.Dropout(0.1)

    def call(self, inputs):
        return self.drop(self.block(inputs))


outputs = Encoder()(tf.ones((2, 17, 24)))
