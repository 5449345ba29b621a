"""A subclassed residual network whose blocks are kept in lists and dicts."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class ConvBlock(layers.Layer):
    def __init__(self, filters, stride=1, **kwargs):
        super().__init__(**kwargs)
        self.convs = [layers.Conv2D(filters, 3, strides=stride if i == 0 else 1, padding="same", use_bias=False)
                      for i in range(2)]
        self.norms = [layers.BatchNormalization() for _ in self.convs]
        self.shortcut = layers.Conv2D(filters, 1, strides=stride) if stride != 1 else None
        self.act = layers.ReLU()

    def call(self, x, training=None):
        skip = x if self.shortcut is None else self.shortcut(x)
        for conv, norm in zip(self.convs, self.norms):
            x = self.act(norm(conv(x), training=training))
        return x + skip


class ResNet(keras.Model):
    WIDTHS = (16, 32, 64)

    def __init__(self, num_classes, depth=2):
        super().__init__()
        self.stem = layers.Conv2D(self.WIDTHS[0], 3, padding="same")
        self.stages = {
            f"stage{n}": [ConvBlock(width, stride=2 if n and not i else 1) for i in range(depth)]
            for n, width in enumerate(self.WIDTHS)
        }
        self.heads = {"pool": layers.GlobalAveragePooling2D(), "logits": layers.Dense(num_classes)}

    def call(self, inputs, training=None):
        x = self.stem(inputs)
        for blocks in self.stages.values():
            for block in blocks:
                x = block(x, training=training)
        return self.heads["logits"](self.heads["pool"](x))


model = ResNet(10)
out = model(tf.zeros((4, 32, 32, 3)))
print(out.shape, model.count_params())
