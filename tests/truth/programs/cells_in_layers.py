"""The library's cells, alone and in lists, that a layer calls at each step: they are layers with shapes of their own."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Encoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.cells = [layers.LSTMCell(8) for _ in range(2)]
        self.rnn = layers.RNN(self.cells, return_sequences=True, return_state=True)
        self.cell = layers.GRUCell(5)
        self.second = layers.RNN(self.cell)
        self.both = layers.Bidirectional(layers.RNN(layers.LSTMCell(4)))
        self.each = layers.TimeDistributed(layers.RNN(layers.SimpleRNNCell(3)))
        self.out = layers.Dense(2)

    def call(self, x):
        y, *states = self.rnn(x)
        each = self.each(tf.expand_dims(y, 1))
        return self.out(tf.concat([self.second(y), self.both(y), each[:, 0]], -1))


model = Encoder()
model.compile("adam", "mse")
model.fit(np.zeros((8, 7, 5)), np.zeros((8, 2)), batch_size=4)
inputs = keras.Input((7, 5))
cell = layers.LSTMCell(9)
out, h, c = layers.RNN(cell, return_state=True)(inputs)
again, _ = cell(inputs[:, 0], [h, c])
taught = keras.Model(inputs, [out, again])
taught.predict(np.zeros((8, 7, 5)))
last = layers.RNN(layers.GRUCell(3), go_backwards=True)(inputs, initial_state=layers.Dense(3)(out))
started = keras.Model(inputs, last)
