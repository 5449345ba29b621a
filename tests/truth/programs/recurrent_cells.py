"""Cells of one's own, stacked cells, convolutional LSTMs over video."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class MinimalCell(layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.state_size = units
        self.output_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer="uniform", name="kernel")
        self.recurrent = self.add_weight(shape=(self.units, self.units), initializer="uniform", name="recurrent")
        self.built = True

    def call(self, inputs, states):
        previous = states[0]
        output = tf.matmul(inputs, self.kernel) + tf.matmul(previous, self.recurrent)
        return output, [output]


inputs = keras.Input((15, 6))
x = layers.RNN(MinimalCell(32), return_sequences=True)(inputs)
x = layers.RNN([layers.LSTMCell(12), layers.GRUCell(10)], return_sequences=True)(x)
x = layers.RNN(layers.StackedRNNCells([layers.LSTMCell(9), layers.GRUCell(11)]), return_sequences=True)(x)
x = layers.SimpleRNN(7, go_backwards=True)(x)
model = keras.Model(inputs, layers.Dense(1)(x))

video = keras.Input((8, 32, 32, 3))
y = layers.ConvLSTM2D(6, (3, 3), padding="same", return_sequences=True)(video)
y = layers.TimeDistributed(layers.Conv2D(4, 3, strides=2))(y)
y = layers.ConvLSTM2D(5, 3)(y)
z = layers.Conv3D(4, (3, 3, 3), strides=(1, 2, 2))(video)
z = layers.MaxPooling3D((2, 2, 2))(z)
both = layers.Concatenate()([layers.Flatten()(y), layers.Flatten()(z)])
clip = keras.Model(video, layers.Dense(11)(both))
