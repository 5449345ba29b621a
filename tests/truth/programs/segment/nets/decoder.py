import tensorflow as tf
from tensorflow.keras import layers as L

from segment.nets.encoder import conv_bn


class Decoder(L.Layer):
    def __init__(self, width, num_classes, **kwargs):
        super().__init__(**kwargs)
        self.reduce = L.Conv2D(width, 1)
        self.predict = L.Conv2D(num_classes, 1)

    def call(self, features):
        *shallow, deep = features
        x = self.reduce(deep)
        for skip in reversed(shallow):
            x = tf.image.resize(x, skip.shape[1:3])
            x = tf.concat([x, skip], axis=-1)
        return self.predict(x)


def light_head(x, classes):
    return L.Conv2D(classes, 1)(conv_bn(x, 12, rate=2))
