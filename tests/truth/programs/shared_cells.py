"""Layers that others are made of, called by themselves too: each variable is one, wherever it is met."""

import keras
import numpy as np


class FeedBack(keras.Model):
    """Warms up with the layer, goes on with its cell."""

    def __init__(self, units, steps, width):
        super().__init__()
        self.steps = steps
        self.cell = keras.layers.LSTMCell(units)
        self.rnn = keras.layers.RNN(self.cell, return_state=True)
        self.dense = keras.layers.Dense(width)

    def call(self, inputs):
        x, *state = self.rnn(inputs)
        found = [self.dense(x)]
        for _ in range(1, self.steps):
            x, state = self.cell(found[-1], states=state)
            found.append(self.dense(x))
        return keras.layers.concatenate(found)


feedback = FeedBack(16, 3, 4)
feedback(np.zeros((2, 24, 4), "float32"))
shared = keras.layers.Dense(7)
series, row = keras.Input((5, 3)), keras.Input((3,))
model = keras.Model([series, row], [keras.layers.TimeDistributed(shared)(series), shared(row)])
