"""A vision transformer: patches, a class token, encoder blocks in a loop."""

import keras
from keras import layers, ops


class Patches(layers.Layer):
    def __init__(self, patch_size):
        super().__init__()
        self.patch_size = patch_size

    def call(self, images):
        batch = ops.shape(images)[0]
        height, width, channels = images.shape[1:]
        rows, columns = height // self.patch_size, width // self.patch_size
        x = ops.reshape(images, (batch, rows, self.patch_size, columns, self.patch_size, channels))
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))
        return ops.reshape(x, (batch, rows * columns, self.patch_size ** 2 * channels))


class ClassToken(layers.Layer):
    def build(self, input_shape):
        self.token = self.add_weight(shape=(1, 1, input_shape[-1]), initializer="zeros", name="cls")

    def call(self, x):
        token = ops.broadcast_to(self.token, (ops.shape(x)[0], 1, x.shape[-1]))
        return ops.concatenate([token, x], axis=1)


class PatchEncoder(layers.Layer):
    def __init__(self, num_patches, projection_dim):
        super().__init__()
        self.num_patches = num_patches
        self.projection = layers.Dense(units=projection_dim)
        self.position_embedding = layers.Embedding(input_dim=num_patches, output_dim=projection_dim)

    def call(self, patch):
        positions = ops.expand_dims(ops.arange(start=0, stop=self.num_patches, step=1), axis=0)
        return self.projection(patch) + self.position_embedding(positions)


def mlp(x, hidden_units, dropout_rate):
    for units in hidden_units:
        x = layers.Dense(units, activation=keras.activations.gelu)(x)
        x = layers.Dropout(dropout_rate)(x)
    return x


image_size, patch_size, projection_dim, num_heads = 48, 8, 32, 4
num_patches = (image_size // patch_size) ** 2
inputs = keras.Input(shape=(image_size, image_size, 3))
encoded = ClassToken()(PatchEncoder(num_patches, projection_dim)(Patches(patch_size)(inputs)))
for _ in range(2):
    x1 = layers.LayerNormalization(epsilon=1e-6)(encoded)
    attention = layers.MultiHeadAttention(num_heads=num_heads, key_dim=projection_dim, dropout=0.1)(x1, x1)
    x2 = layers.Add()([attention, encoded])
    x3 = layers.LayerNormalization(epsilon=1e-6)(x2)
    encoded = layers.Add()([mlp(x3, [projection_dim * 2, projection_dim], 0.1), x2])
representation = layers.LayerNormalization(epsilon=1e-6)(encoded)[:, 0]
model = keras.Model(inputs, layers.Dense(100)(mlp(representation, [64], 0.5)))
