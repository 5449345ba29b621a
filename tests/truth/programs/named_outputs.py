"""Outputs by name, whose order is that of the names, or of an OrderedDict; an extent computed of an open one."""

from collections import OrderedDict

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Halve(layers.Layer):
    def call(self, x):
        batch, steps = tf.shape(x)[0], tf.shape(x)[1]
        return tf.reshape(x, [batch, steps // 2, 2 * x.shape[-1]])


def heads(x):
    found = OrderedDict()
    for name, width in {"kind": 4, "colour": 7, "score": 1}.items():
        found[name] = layers.Dense(width, name=name)(x)
    return found


inputs = keras.Input((20,))
ordered = keras.Model(inputs, heads(inputs))
plain = keras.Model(inputs, {"width": layers.Dense(3)(inputs), "height": layers.Dense(5)(inputs)})
plain(np.zeros((2, 20), "float32"))
steps = keras.Input((None, 6))
halved = keras.Model(steps, layers.Dense(8)(Halve()(steps)))
