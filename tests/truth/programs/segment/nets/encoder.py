from tensorflow.keras import Model
from tensorflow.keras import layers as L

__all__ = ["build_encoder", "conv_bn"]


def conv_bn(x, filters, stride=1, rate=1):
    x = L.Conv2D(filters, 3, strides=stride, padding="same", dilation_rate=rate, use_bias=False)(x)
    return L.ReLU()(L.BatchNormalization()(x))


def _levels(x, widths):
    for width in widths:
        x = conv_bn(x, width, stride=2)
        yield conv_bn(x, width)


def build_encoder(shape, widths):
    inputs = L.Input(shape)
    return Model(inputs, list(_levels(inputs, widths)), name="encoder")
