"""Layers with a compute_output_shape() of their own, within which Keras 3 calls nothing while a model is built."""

import keras
from keras import layers, ops


class Gate(layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.wide, self.narrow = layers.Dense(units), layers.Dense(units, activation="sigmoid")

    def call(self, inputs):
        return self.wide(inputs) * self.narrow(inputs)


class Declared(layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.gate = Gate(self.units)
        self.built = True

    def call(self, inputs):
        return ops.relu(self.gate(inputs))

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], self.units)


called = Gate(5)(keras.Input((4, 3)))
declared = Declared(7)(keras.Input((4, 6)))
run = Declared(2)(ops.zeros((3, 4, 9)))
