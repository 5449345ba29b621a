"""Classes that ask their library class by its name, and mixins after it, whose constructors Keras does not call."""

import keras
from keras import layers


class Half(layers.Dense):
    def __init__(self, units, **kwargs):
        layers.Dense.__init__(self, units // 2, **kwargs)


class Graph(keras.Model):
    def __init__(self, inputs, **kwargs):
        keras.Model.__init__(self, inputs=inputs, outputs=layers.Dense(4)(inputs), **kwargs)


class Chain(keras.Sequential):
    def __init__(self, units):
        keras.Sequential.__init__(self)
        self.add(layers.Dense(units))
        self.add(layers.Dense(units * 2))


class Extended(layers.Conv2D):
    def build(self, input_shape):
        layers.Conv2D.build(self, input_shape)
        self.shift = self.add_weight(shape=(3,), name="shift")

    def call(self, inputs):
        return layers.Conv2D.call(self, inputs)


class Unused:
    def __init__(self, width):
        self.width = width


class Norm(layers.Layer):
    def build(self, input_shape):
        self.gain = self.add_weight(shape=input_shape[1:], name="gain")
        self.built = True

    def call(self, inputs):
        return inputs * self.gain


class Mixed(layers.Layer, Unused):
    def build(self, input_shape):
        self.norm = Norm()
        self.norm.build(input_shape)
        self.built = True

    def call(self, inputs):
        return self.norm(inputs)


class Straight(Mixed):
    def __init__(self):
        layers.Layer.__init__(self)


inputs = keras.Input((16, 32))
half = Half(8)(inputs)
graph = Graph(inputs)
chained = Chain(4)(inputs)
convolved = Extended(4, 3)(keras.Input((8, 8, 2)))
mixed, straight = Mixed(), Straight()
mixed.build((None, 32))
straight.build((None, 32))
of_mixed = keras.Sequential([keras.Input((16, 32)), mixed])
of_straight = keras.Sequential([keras.Input((16, 32)), straight])
on_top = keras.Sequential([keras.Model([inputs], half), layers.Dense(2)])
