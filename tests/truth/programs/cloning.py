"""Models cloned: a target network, a chain that is not built yet, and a model in a model."""

import keras
import numpy as np
from keras import layers

state = keras.Input((8,))
shared = layers.Dense(16, activation="relu")
online = keras.Model(state, layers.Dense(4)(shared(layers.Dense(16)(state))))
target = keras.models.clone_model(online)
target.set_weights(online.get_weights())
assert target.layers[1] is not online.layers[1]
width = target.count_params() // 10
after = layers.Dense(width)(target(keras.Input((8,))))
trained = len(target.layers)
head = layers.Dense(trained)(online.output)

chain = keras.Sequential([layers.Dense(3), layers.Dense(5)])
twin = keras.models.clone_model(chain)
scores = twin(np.zeros((2, 7), "float32"))
outer = keras.Sequential([keras.Input((16,)), layers.Reshape((4, 4)), layers.LSTM(6)])
other = keras.models.clone_model(outer)
last = layers.Dense(7)(other(keras.Input((16,))))


def learned(layer):
    """The rectifiers of a model have slopes of their own in its copy."""
    if isinstance(layer, layers.Activation) and layer.activation == keras.activations.relu:
        return layers.PReLU(shared_axes=[1, 2])
    return layer


picture = keras.Input((16, 16, 3))
plain = keras.Model(picture, layers.Activation("relu")(layers.Conv2D(6, 3)(picture)))
sloped = keras.models.clone_model(plain, input_tensors=keras.Input((16, 16, 3)), clone_function=learned)
pooled = layers.GlobalMaxPooling2D()(sloped.output)
