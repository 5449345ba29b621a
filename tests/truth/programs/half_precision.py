"""A global policy of mixed precision, with the last layers in float32."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers, mixed_precision

mixed_precision.set_global_policy("mixed_float16")

inputs = keras.Input(shape=(784,), name="digits")
num_units = 96
dense1 = layers.Dense(num_units, activation="relu", name="dense_1")
x = dense1(inputs)
x = layers.BatchNormalization()(x)
x = layers.Dense(num_units, activation="relu", name="dense_2")(x)
x = layers.Dense(10, name="dense_logits")(x)
outputs = layers.Activation("softmax", dtype="float32", name="predictions")(x)
model = keras.Model(inputs=inputs, outputs=outputs)


class Scale(layers.Layer):
    def build(self, input_shape):
        self.factor = self.add_weight(name="factor", shape=(), initializer="ones")

    def call(self, x):
        return tf.cast(self.factor, x.dtype) * x


image = keras.Input((16, 16, 3))
y = Scale()(layers.Conv2D(8, 3)(image))
y = layers.GlobalAveragePooling2D()(y)
regressor = keras.Model(image, layers.Dense(1, dtype="float32")(y))
mixed_precision.set_global_policy("float32")
tail = layers.Dense(3)(keras.Input((5,)))
