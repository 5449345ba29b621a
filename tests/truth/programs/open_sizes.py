"""Models of open sizes: within models that are only built, within one that is trained, and fed several sizes."""

import keras
import numpy as np
from keras import layers


class Scale(layers.Layer):
    """A layer with layers of its own, which are called whoever asks what it gives."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.squeeze, self.excite = layers.GlobalAveragePooling2D(keepdims=True), layers.Dense(8, activation="sigmoid")

    def call(self, inputs):
        return inputs * self.excite(self.squeeze(inputs))


def backbone(name):
    inputs = keras.Input((None, None, 3))
    x = layers.Conv2D(8, 3, strides=2, padding="same")(inputs)
    x = Scale()(layers.ReLU()(x))
    tail = keras.Sequential([keras.Input((None, None, 8)), layers.MaxPooling2D(), layers.Conv2D(16, 1)])
    return keras.Model(inputs, tail(x), name=name)


def head(features):
    return layers.Dense(2)(layers.GlobalAveragePooling2D()(features))


only_built = keras.Input((48, 48, 3))
keras.Model(only_built, head(backbone("asked")(only_built)))

trained = keras.Input((32, 40, 3))
model = keras.Model(trained, head(backbone("trained")(trained)))
model.compile("sgd", "mse")
model.fit(np.zeros((6, 32, 40, 3), "float32"), np.zeros((6, 2), "float32"), batch_size=3)

fully = backbone("fed")
fully.predict(np.zeros((2, 64, 64, 3), "float32"))
fully.predict(np.zeros((1, 20, 28, 3), "float32"))

sequence = keras.Input((None, 5))
lengths = keras.Model(sequence, layers.Conv1D(4, 3)(layers.LSTM(6, return_sequences=True)(sequence)))
lengths.compile("sgd", "mse")
lengths.fit(np.zeros((4, 12, 5), "float32"), np.zeros((4, 10, 4), "float32"))

numbers = [keras.Input((1,)) for _ in range(2)]
single = keras.Model(numbers, layers.Dense(1)(layers.Concatenate()(numbers)))
single.compile("sgd", "mse")
single.fit([np.zeros(8, "float32"), np.zeros(8, "float32")], np.zeros(8, "float32"))
