"""Layers that declare what they give: Keras 3 asks their compute_output_shape() instead of call() while a model is
built, and hands build() the shapes that it names."""

import keras
from keras import layers, ops


class Wide(layers.Layer):
    def build(self, x_shape, y_shape=None):
        self.first = layers.Dense(3, dtype=self.dtype_policy)
        self.first.build(x_shape)
        self.width = 7 if y_shape is None else 5
        self.second = layers.Dense(self.width, dtype=self.dtype_policy)
        self.second.build((*x_shape[:-1], 3))
        self.built = True

    def call(self, x, y=None):
        return self.second(self.first(x))

    def compute_output_shape(self, x_shape, y_shape=None):
        return (*x_shape[:-1], 7 if y_shape is None else 5)


class Mask(layers.Layer):
    """Its call() gives bool; what is declared is of the compute dtype."""

    def call(self, x):
        return ops.not_equal(x, 0)

    def compute_output_shape(self, shape):
        return shape


class Halves(layers.Layer):
    def call(self, x):
        return ops.mean(x, 1), x

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1]), input_shape


class Open(layers.Layer):
    def call(self, x):
        return ops.reshape(x, (-1, 12))

    def compute_output_shape(self, input_shape):
        return [None, None]


class Named(layers.Layer):
    def call(self, x):
        return {"a": x, "b": ops.sum(x, -1)}

    def compute_output_shape(self, input_shape):
        return {"a": input_shape, "b": input_shape[:-1]}


x = keras.Input((4, 3))
y = keras.Input((2,))
both = Wide(dtype="mixed_float16")(x=x, y=y)
alone = Wide()(x)
mean, same = Halves()(x)
named = Named()(x)
rates = [float(rate) for rate in ops.linspace(0.0, 0.2, 3)]
blocks = [layers.Dropout(rate) if rate > 0.0 else layers.Identity() for rate in rates]
z = alone
for block in blocks:
    z = block(z)
model = keras.Model([x, y], [both, z, Mask()(x), mean, same, Open()(x), named["b"]])
