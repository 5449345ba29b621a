"""Layers that hold tf.Variables: Keras 2 counts them among their parameters, Keras 3 does not; a model of one output in
a list, factories that pass their own names on, and blocks chosen by what tf.linspace gives."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Scaled(layers.Layer):
    def __init__(self, width, copies=2, **kwargs):
        super().__init__(**kwargs)
        self.gamma = tf.Variable(tf.ones((width,)), name="gamma")
        self.index = tf.Variable(tf.zeros((width, width), tf.int64), trainable=False)
        self.biases = [tf.Variable(tf.zeros((width,))) for _ in range(copies)]
        self.same = self.gamma
        self.dense = layers.Dense(width)

    def call(self, x):
        return self.gamma * self.dense(x) + self.biases[0]


class Dropped(layers.Layer):
    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, x):
        return x * (1 - self.rate)


def network(widths, depth=1, rate=0.2, shape=(6,), settings=None):
    inputs = keras.Input(shape)
    x = inputs
    rates = [float(each) for each in tf.linspace(0.0, rate, depth)]
    for width in sorted(widths, key=lambda each: -each):
        for step in range(depth):
            x = Scaled(width)(x)
            x = Dropped(rates[step])(x) if rates[step] > 0.0 else layers.Activation("linear")(x)
    return keras.Model([inputs], [layers.Dense(max(widths, key=lambda each: each % 5))(x)])


def small(widths=(4, 8), depth=2, **settings):
    shape = (5,)
    return network(**locals())


model = small()
head = keras.Sequential([layers.Dense(3), layers.Activation("softmax")])
whole = keras.Model(model.input, head(model.outputs[0]))
