"""A model that build() is told a batch of, then applied to others; a layer that goes through its own variables."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = layers.Dense(5)
        self.decoder = layers.Dense(7)

    def call(self, x, training=None):
        return self.decoder(tf.nn.relu(self.encoder(x)))


class Perceptron(layers.Layer):
    def __init__(self, units):
        super().__init__()
        for i in range(1, len(units)):
            self.add_weight(name=f"kernel{i}", shape=[units[i - 1], units[i]])
            self.add_weight(name=f"bias{i}", shape=[units[i]])

    def call(self, x):
        for i in range(0, len(self.trainable_variables), 2):
            x = tf.matmul(x, self.trainable_variables[i]) + self.trainable_variables[i + 1]
        return x


model = Autoencoder()
model.build(input_shape=(4, 7))
code = model(tf.zeros((10, 7)))
scores = Perceptron([7, 20, 3])(code)
