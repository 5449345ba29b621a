"""Layers that make their own weights in build, and that extend the layers of Keras."""

import tensorflow as tf
from tensorflow import keras


class Linear(keras.layers.Layer):
    def __init__(self, units=32, bias=True, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.bias = bias

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="glorot_uniform", name="w")
        if self.bias:
            self.b = self.add_weight(shape=(self.units,), initializer="zeros", name="b")
        super().build(input_shape)

    def call(self, inputs):
        y = tf.matmul(inputs, self.w)
        return y + self.b if self.bias else y

    def get_config(self):
        return {**super().get_config(), "units": self.units, "bias": self.bias}


class NormedDense(keras.layers.Dense):
    """A Dense layer that normalises what it gives."""

    def build(self, input_shape):
        super().build(input_shape)
        self.scale = self.add_weight(name="scale", shape=(self.units,), initializer="ones")

    def call(self, inputs):
        x = super().call(inputs)
        return self.scale * x / (1e-3 + tf.norm(x, axis=-1, keepdims=True))


class WSConv2D(keras.layers.Conv2D):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, kernel_initializer="he_normal", **kwargs)

    def call(self, inputs):
        return 0.5 * super().call(inputs)


class Gate(keras.layers.Layer):
    def build(self, shape):
        channels = int(shape[-1])
        self.inner = Linear(max(channels // 4, 4))
        self.outer = Linear(channels, bias=False)

    def call(self, x):
        pooled = tf.reduce_mean(x, axis=[1, 2])
        gate = tf.nn.sigmoid(self.outer(tf.nn.relu(self.inner(pooled))))
        return x * gate[:, None, None, :]


inputs = keras.Input(shape=(24, 24, 3))
x = WSConv2D(16, 3, strides=2, padding="same", activation="relu")(inputs)
x = Gate()(x)
x = WSConv2D(24, 5)(x)
x = keras.layers.Flatten()(x)
x = NormedDense(48, activation="tanh")(x)
outputs = Linear(7, name="scores")(x)
model = keras.Model(inputs, outputs)
model.summary()
