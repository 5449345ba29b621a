"""A backbone over a tensor that is given: the model's inputs are those that the tensor comes from."""

from tensorflow import keras
from tensorflow.keras import layers


def backbone(input_shape=None, input_tensor=None):
    if input_tensor is None:
        image = layers.Input(input_shape)
    else:
        image = input_tensor
    x = layers.Conv2D(8, 3, activation="relu")(image)
    x = layers.GlobalAveragePooling2D()(x)
    inputs = image if input_tensor is None else keras.utils.get_source_inputs(input_tensor)
    return keras.Model(inputs, x)


plain = backbone((32, 32, 3))
photo = layers.Input((48, 48, 3))
scaled = backbone(input_tensor=layers.Rescaling(1 / 255)(photo))
out = layers.Dense(4)(scaled(keras.Input((48, 48, 3))))
