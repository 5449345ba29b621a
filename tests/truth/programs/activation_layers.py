"""Layers given as the activation of others: Keras 2 calls them and counts their weights, Keras 3 does so with data
and within a call()."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Leaky(layers.Layer):
    def call(self, x):
        return x * 0.9


def block(x, width, activation):
    x = layers.Conv2D(width, 3, padding="same", activation=activation)(x)
    return layers.SeparableConv2D(width, 3, activation=layers.LeakyReLU())(x)


inputs = keras.Input((8, 8, 3))
shared = layers.ReLU()
x = block(inputs, 4, layers.PReLU())
x = block(x, 6, shared)
x = layers.Dense(5, activation=shared)(x)
x = layers.Dense(7, activation=Leaky())(layers.Flatten()(x))
model = keras.Model(inputs, layers.Activation(layers.ELU())(x))
head = keras.Sequential([layers.Dense(3, activation=layers.LeakyReLU()), layers.Dense(2)])
head.build((None, 7))


class Rescaled(layers.Layer):
    def __init__(self):
        super().__init__()
        self.conv = layers.Conv2D(4, 3, activation=layers.LeakyReLU())
        self.dense = layers.Dense(5, activation=layers.PReLU())

    def call(self, x):
        return self.dense(self.conv(x))


z = Rescaled()(inputs)
tail = keras.Model(inputs, z)
head.predict(tf.zeros((2, 7)))
model.predict(tf.zeros((2, 8, 8, 3)))
