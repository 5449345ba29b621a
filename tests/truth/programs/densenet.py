"""DenseNet by loops: widths that grow with every concatenation."""

from tensorflow.keras import backend as K
from tensorflow.keras import layers, models


def conv_block(x, growth_rate):
    bn_axis = 3 if K.image_data_format() == "channels_last" else 1
    x1 = layers.BatchNormalization(axis=bn_axis, epsilon=1.001e-5)(x)
    x1 = layers.Activation("relu")(x1)
    x1 = layers.Conv2D(4 * growth_rate, 1, use_bias=False)(x1)
    x1 = layers.Conv2D(growth_rate, 3, padding="same", use_bias=False)(x1)
    return layers.Concatenate(axis=bn_axis)([x, x1])


def transition(x, reduction):
    filters = int(x.shape[-1] * reduction)
    x = layers.Conv2D(filters, 1, use_bias=False)(x)
    return layers.AveragePooling2D(2, strides=2)(x)


def densenet(blocks, shape, growth_rate=12, reduction=0.5, classes=None):
    inputs = layers.Input(shape)
    x = layers.Conv2D(2 * growth_rate, 7, strides=2, padding="same", use_bias=False)(inputs)
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    left = len(blocks)
    for count in blocks:
        for _ in range(count):
            x = conv_block(x, growth_rate)
        left -= 1
        if left:
            x = transition(x, reduction)
    if classes is None:
        return models.Model(inputs, x)
    x = layers.GlobalAveragePooling2D()(x)
    return models.Model(inputs, layers.Dense(classes, activation="softmax")(x))


features = densenet((2, 3), (70, 50, 3))
model = densenet([1, 2, 2], shape=(64, 64, 1), growth_rate=8, classes=6)
