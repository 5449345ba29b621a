"""Inverted residuals from a table, with squeeze-and-excitation."""

import math

import keras
from keras import layers

# expansion, kernel, filters, stride, se
TABLE = [
    (1, 3, 16, 1, None),
    (4, 3, 24, 2, None),
    (3, 5, 40, 2, 0.25),
    (6, 3, 80, 2, 0.25),
]


def make_divisible(value, divisor=8):
    new = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return new + divisor if new < 0.9 * value else new


def hard_swish(x):
    return layers.Multiply()([x, layers.ReLU(6.0)(x)])


def se_block(x, filters, ratio):
    y = layers.GlobalAveragePooling2D()(x)
    y = layers.Reshape((1, 1, filters))(y)
    y = layers.Conv2D(make_divisible(filters * ratio), 1, activation="relu")(y)
    y = layers.Conv2D(filters, 1, activation="hard_sigmoid")(y)
    return layers.Multiply()([x, y])


def inverted_residual(x, expansion, kernel, filters, stride, se, block):
    prefix = f"block_{block}"
    infilters = x.shape[-1]
    shortcut = x
    if expansion > 1:
        x = layers.Conv2D(make_divisible(infilters * expansion), 1, use_bias=False, name=prefix + "expand")(x)
        x = layers.BatchNormalization(momentum=0.999)(x)
        x = hard_swish(x)
    if stride == 2:
        x = layers.ZeroPadding2D(((kernel // 2 - 1, kernel // 2), (kernel // 2 - 1, kernel // 2)))(x)
    x = layers.DepthwiseConv2D(kernel, strides=stride, padding="same" if stride == 1 else "valid", use_bias=False)(x)
    if se:
        x = se_block(x, make_divisible(infilters * expansion), se)
    x = layers.Conv2D(filters, 1, use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.Add()([shortcut, x]) if stride == 1 and infilters == filters else x


def mobile(shape=(112, 112, 3), alpha=1.0, classes=9):
    inputs = keras.Input(shape)
    x = layers.Conv2D(make_divisible(16 * alpha), 3, strides=2, padding="same")(inputs)
    for block, (expansion, kernel, filters, stride, se) in enumerate(TABLE):
        for repeat in range(math.ceil(alpha * 2)):
            x = inverted_residual(x, expansion, kernel, make_divisible(filters * alpha),
                                  stride if not repeat else 1, se, f"{block}_{repeat}")
    x = layers.GlobalAveragePooling2D(keepdims=True)(x)
    x = layers.Conv2D(classes, 1)(x)
    return keras.Model(inputs, layers.Flatten()(x), name="mobile")


wide, narrow = mobile(), mobile((64, 80, 1), alpha=0.5)
