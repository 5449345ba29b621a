"""U-Net by functions, with skip connections."""

import tensorflow as tf
from tensorflow.keras.layers import Concatenate, Conv2D, Conv2DTranspose, Dropout, Input, MaxPool2D, UpSampling2D
from tensorflow.keras.models import Model


def double_conv(x, filters, dropout=0.0):
    for _ in range(2):
        x = Conv2D(filters, 3, padding="same", activation="relu", kernel_initializer="he_normal")(x)
    return Dropout(dropout)(x) if dropout else x


def unet(input_size=(64, 96, 1), base=8, depth=3, classes=2, transpose=True):
    inputs = Input(input_size)
    skips, x = [], inputs
    for level in range(depth):
        x = double_conv(x, base * 2 ** level)
        skips.append(x)
        x = MaxPool2D(2)(x)
    x = double_conv(x, base * 2 ** depth, dropout=0.5)
    for level, skip in reversed(list(enumerate(skips))):
        filters = base * 2 ** level
        if transpose:
            x = Conv2DTranspose(filters, 2, strides=2, padding="same")(x)
        else:
            x = Conv2D(filters, 2, padding="same")(UpSampling2D((2, 2), interpolation="bilinear")(x))
        x = double_conv(Concatenate(axis=3)([skip, x]), filters)
    outputs = Conv2D(classes, 1, activation="softmax" if classes > 1 else "sigmoid")(x)
    return Model(inputs=inputs, outputs=outputs)


model = unet()
light = unet((32, 32, 3), base=4, depth=2, classes=1, transpose=False)
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-4)
model.compile(optimizer=optimizer, loss="categorical_crossentropy", metrics=["accuracy"])
