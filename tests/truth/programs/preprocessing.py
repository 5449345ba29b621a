"""Preprocessing layers inside and before a model, on images, numbers and categories."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

numbers = np.zeros((64, 7), dtype="float32")
normalizer = layers.Normalization(axis=-1)
normalizer.adapt(numbers)

table = keras.Input((7,))
x = normalizer(table)
x = layers.Dense(10, activation="selu")(x)
x = layers.GaussianNoise(0.1)(x)
buckets = layers.Discretization(bin_boundaries=[0.0, 1.0, 2.0])(table)
codes = layers.CategoryEncoding(num_tokens=6, output_mode="multi_hot")(keras.Input((3,), dtype="int64"))
hashed = layers.Dense(2)(layers.Concatenate()([x, codes]))

image = keras.Input((60, 80, 3))
y = layers.Resizing(48, 48)(image)
y = layers.CenterCrop(40, 36)(y)
y = layers.RandomZoom(0.2)(y)
y = layers.RandomContrast(0.2)(y)
y = layers.Rescaling(1.0 / 255)(y)
y = layers.Cropping2D(((2, 2), (0, 4)))(y)
y = layers.ZeroPadding2D((1, 3))(y)
y = layers.Conv2D(6, 3, dilation_rate=2)(y)
y = layers.AveragePooling2D((3, 2), strides=2, padding="same")(y)
y = layers.Permute((3, 1, 2))(y)
y = layers.Reshape((6, -1))(y)
model = keras.Model(image, layers.Dense(4)(y))
