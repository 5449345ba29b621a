"""Sequences of any length: tables that are cut to a length which is None while the model is built, and layers that are
tried with an argument first."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops


class Positions(layers.Layer):
    """Places as numbers: cut to the length as Python has it, as Keras has it, or as the model runs."""

    def __init__(self, most, how, **kwargs):
        super().__init__(**kwargs)
        self.most, self.how = most, how

    def build(self, input_shape):
        self.places = tf.convert_to_tensor(np.arange(0, self.most, dtype="int64")[None])

    def call(self, inputs):
        length = inputs.shape[-1]
        if self.how == "python":
            return self.places[:, :length]
        return self.places[:, :ops.shape(inputs)[-1] if self.how == "keras" else tf.shape(inputs)[-1]]


class Dice(layers.Layer):
    """An activation with weights of its own."""

    def build(self, input_shape):
        self.norm = layers.BatchNormalization(center=False, scale=False)
        self.alphas = self.add_weight(shape=(input_shape[-1],), initializer=keras.initializers.Zeros(), name="alphas")

    def call(self, inputs, training=None):
        gate = ops.sigmoid(self.norm(inputs, training=training))
        return self.alphas * (1.0 - gate) * inputs + gate * inputs


class Tried(layers.Layer):
    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.activation, self.dense, self.drop = activation, layers.Dense(6), layers.Dropout(0.1)

    def call(self, inputs, training=None):
        x = self.dense(inputs)
        try:
            x = self.activation(x, training=training)
        except TypeError:
            x = self.activation(x)
        return self.drop(x, training=training)


tokens = keras.Input((None,), dtype="int64")
embedded = layers.Embedding(50, 8)(tokens)
fixed = layers.Dropout(0.1)(embedded + layers.Embedding(16, 8)(Positions(16, "python")(tokens)))
varying = layers.Dropout(0.1)(embedded + layers.Embedding(16, 8)(Positions(16, "keras")(tokens)))
running = layers.Dropout(0.1)(embedded + layers.Embedding(16, 8)(Positions(16, "tensorflow")(tokens)))
keras.Model(tokens, [layers.Dense(3)(each) for each in (fixed, varying, running)])

features = keras.Input((4, 8))
keras.Model(features, layers.GlobalAveragePooling1D()(Tried(Dice())(features)))
