"""What a layer of a model gives: that of its first call, as a Sequential within another model has it too."""

import keras
from keras import layers, ops


class Encoder(keras.Model):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return ops.mean(y_pred)


def build():
    ids = keras.Input((12,), dtype="int64")
    x = layers.Embedding(30, 8)(ids)
    for number in range(2):
        feed = keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(8)], name=f"feed_{number}")
        x = layers.LayerNormalization()(x + feed(x))
    return Encoder(ids, x)


model = build()
encoder = keras.Model(model.input, model.get_layer("feed_0").output)
pooled = layers.GlobalMaxPooling1D()(encoder.output)
keras.Model(encoder.input, layers.Dense(1)(layers.Dense(4)(pooled)))

shared = layers.Conv2D(4, 3, padding="same")
large, small = keras.Input((32, 32, 3)), keras.Input((16, 16, 3))
shared(large)
shared(small)
keras.Model(large, layers.MaxPooling2D()(shared.output))
