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


class Stacked(keras.Model):
    """Cells in a list that nothing but the layer calls."""

    def __init__(self):
        super().__init__()
        self.cells = [keras.layers.LSTMCell(5), keras.layers.GRUCell(6)]
        self.each = keras.layers.Dense(4)
        self.steps = keras.layers.TimeDistributed(self.each)
        self.rnn = keras.layers.RNN(self.cells, return_sequences=True)

    def call(self, inputs):
        return self.rnn(self.steps(inputs))


feedback = FeedBack(16, 3, 4)
feedback(np.zeros((2, 24, 4), "float32"))
stacked = Stacked()
stacked(keras.Input((24, 3)))
shared = keras.layers.Dense(7)
series, row = keras.Input((5, 3)), keras.Input((3,))
model = keras.Model([series, row], [keras.layers.TimeDistributed(shared)(series), shared(row)])
