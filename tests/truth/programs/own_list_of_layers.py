"""A list that Keras 3 keeps its layers in is set by the program: only what is put there is counted, in Keras 2 all is."""

import numpy as np
import tensorflow as tf

layers = tf.keras.layers


class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(3)
        self._layers = [layers.Dense(4), layers.Dense(5)]
        self.norm = layers.BatchNormalization()

    def call(self, x):
        x = self.first(x)
        for layer in self._layers:
            x = layer(x)
        return self.norm(x)


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(3)
        self._layers = [layers.Dense(4), Block()]
        self.norm = layers.BatchNormalization()

    def call(self, x):
        x = self.first(x)
        for layer in self._layers:
            x = layer(x)
        return self.norm(x)


inputs = tf.keras.Input((2,))
model = tf.keras.Model(inputs, Block()(inputs))
net = Net()
net(np.zeros((1, 2), "float32"))
