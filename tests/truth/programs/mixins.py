"""Multiple inheritance: mixins that give layers and models what they share."""

import keras
from keras import layers


class Named:
    prefix = "block"

    def label(self, part):
        return f"{self.prefix}_{part}"


class Regularized:
    decay = 1e-4

    def dense(self, units, **kwargs):
        return layers.Dense(units, kernel_regularizer=keras.regularizers.l2(self.decay), **kwargs)


class MLPBlock(Named, Regularized, layers.Layer):
    prefix = "mlp"

    def __init__(self, hidden, dropout=0.1, **kwargs):
        super().__init__(**kwargs)
        self.hidden = hidden
        self.norm = layers.LayerNormalization(epsilon=1e-6)
        self.drop = layers.Dropout(dropout)

    def build(self, input_shape):
        self.up = self.dense(self.hidden, activation="gelu", name=self.label("up"))
        self.down = self.dense(input_shape[-1], name=self.label("down"))
        self.up.build(input_shape)
        self.down.build((*input_shape[:-1], self.hidden))
        self.norm.build(input_shape)

    def call(self, x, training=None):
        y = self.down(self.up(self.norm(x)))
        return x + self.drop(y, training=training)


class Base(keras.Model):
    def __init__(self, width, **kwargs):
        super().__init__(**kwargs)
        self.width = width
        self.encode = layers.Dense(width)

    def call(self, x):
        return self.encode(x)


class Deep(Regularized, Base):
    decay = 1e-5

    def __init__(self, width, depth, classes):
        super().__init__(width, name="deep")
        self.blocks = [MLPBlock(2 * width) for _ in range(depth)]
        self.head = self.dense(classes)

    def call(self, x, training=None):
        x = super().call(x)
        for block in self.blocks:
            x = block(x, training=training)
        return self.head(x)


model = Deep(width=40, depth=3, classes=5)
model.build((None, 20))
scores = model(keras.Input((20,)))
