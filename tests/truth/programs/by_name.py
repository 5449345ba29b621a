"""Layers chosen by name: registries, getattr, match, star arguments, a builder class."""

import argparse

import keras
from keras import layers

NORMS = {"batch": layers.BatchNormalization, "layer": layers.LayerNormalization, "none": None}
SPEC = [
    ("Conv2D", {"filters": 12, "kernel_size": 5, "padding": "same"}),
    ("MaxPooling2D", {"pool_size": 2}),
    ("SeparableConv2D", {"filters": 20, "kernel_size": 3}),
    ("GlobalAveragePooling2D", {}),
]


def parse(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--norm", choices=sorted(NORMS), default="batch")
    parser.add_argument("--size", type=int, default=36)
    parser.add_argument("--widths", type=int, nargs="+", default=[40, 20])
    return parser.parse_args(arguments)


class Builder:
    def __init__(self, shape, norm):
        self.inputs = self.x = keras.Input(shape)
        self.norm = NORMS[norm]

    def add(self, kind, *args, **kwargs):
        self.x = getattr(layers, kind)(*args, **kwargs)(self.x)
        if self.norm is not None and kind.endswith("Conv2D"):
            self.x = self.norm()(self.x)
        return self

    def head(self, *widths):
        for width in widths:
            self.x = layers.Dense(width)(self.x)
        return keras.Model(self.inputs, self.x)


def main():
    options = parse()
    builder = Builder((options.size, options.size, 3), options.norm)
    for kind, arguments in SPEC:
        builder.add(kind, **arguments)
    return builder.head(*options.widths, 3)


if __name__ == "__main__":
    model = main()
    model.compile(optimizer="sgd", loss="mse")
