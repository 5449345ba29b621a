"""functools.partial, layers by function, Lambda, and closures."""

import functools

from tensorflow import keras
from tensorflow.keras import layers

conv3x3 = functools.partial(layers.Conv2D, kernel_size=3, padding="same", use_bias=False)
conv1x1 = functools.partial(layers.Conv2D, kernel_size=1)
act = functools.partial(layers.Activation, "relu")


def bn_act(x, name=None):
    x = layers.BatchNormalization(name=name and name + "_bn")(x)
    return act(name=name and name + "_act")(x)


def separable(filters, stride=1):
    def apply(x):
        x = layers.DepthwiseConv2D(3, strides=stride, padding="same")(x)
        return bn_act(conv1x1(filters)(x))
    return apply


def compose(*functions):
    return functools.reduce(lambda f, g: lambda x: g(f(x)), functions)


def squeeze(x, ratio=4):
    channels = x.shape[-1]
    s = layers.GlobalAveragePooling2D(keepdims=True)(x)
    s = conv1x1(channels // ratio, activation="relu")(s)
    s = conv1x1(channels, activation="sigmoid")(s)
    return layers.Multiply()([x, s])


inputs = keras.Input((40, 40, 3))
x = layers.Lambda(lambda t: t / 255.0 - 0.5)(inputs)
x = bn_act(conv3x3(16, strides=2)(x), name="stem")
x = compose(separable(32), separable(64, stride=2), squeeze)(x)
half = layers.Lambda(lambda t: t[..., :32], name="half")(x)
y = layers.Lambda(lambda t: t[:, ::2, ::2])(half)
outputs = layers.Dense(4)(layers.Flatten()(y))
model = keras.Model(inputs, outputs)
