"""keras.ops and operators between the layers of a functional model."""

import keras
from keras import layers, ops

tokens = keras.Input((32, 24))
mask = keras.Input((32,), dtype="bool")

queries = layers.Dense(16, name="queries")(tokens)
keys = layers.Dense(16, name="keys")(tokens)
scores = ops.matmul(queries, ops.transpose(keys, (0, 2, 1))) / ops.sqrt(16.0)
scores = ops.where(ops.expand_dims(mask, 1), scores, -1e9)
weights = ops.softmax(scores, axis=-1)
values = layers.Dense(20)(tokens)
mixed = ops.einsum("bij,bjd->bid", weights, values)

first, rest = mixed[:, 0], mixed[:, 1:]
summary = ops.concatenate([first, ops.mean(rest, axis=1), ops.max(rest, axis=1)], axis=-1)
gates = ops.split(layers.Dense(60)(summary), 3, axis=-1)
gated = ops.tanh(gates[0]) * ops.sigmoid(gates[1]) + 0.5 * gates[2]
grid = ops.reshape(gated, (-1, 5, 4, 1))
grid = layers.Conv2D(6, (2, 3), padding="same")(ops.pad(grid, ((0, 0), (1, 1), (0, 2), (0, 0))))
stacked = ops.stack([grid, ops.flip(grid, axis=1)], axis=1)
volume = layers.Conv3D(3, 2)(stacked)
flat = layers.Flatten()(volume)
repeated = ops.repeat(ops.expand_dims(flat, 1), 4, axis=1)
model = keras.Model([tokens, mask], layers.GRU(9)(repeated))
