"""Programs whose step hangs on what grappler changes, and in which order it leaves what it does not."""

from __future__ import annotations

from tests.oracle.memory_models import CLASSIFIED, HEAD

HALVES = 'keras.mixed_precision.set_global_policy("mixed_float16")\n'
READER = """inputs = keras.Input((32,), dtype="int32")
h = layers.Embedding(500, 48)(inputs)
for _ in range(2):
    h = layers.LayerNormalization()(h + layers.MultiHeadAttention(4, 12)(h, h))
    h = layers.LayerNormalization()(h + layers.Dense(48)(layers.Dense(96, activation="relu")(h)))
outputs = layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling1D()(h))
model = keras.Model(inputs, outputs, name="reader")
x, y = np.zeros((4 * BATCH, 32), "int32"), np.zeros((4 * BATCH,), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
WINDOWED = """class Attention(layers.Layer):
    def __init__(self, heads, width):
        super().__init__()
        self.heads, self.width = heads, width
        self.qkv, self.out = layers.Dense(3 * heads * width), layers.Dense(heads * width)
    def call(self, x):
        parts = keras.ops.reshape(self.qkv(x), (-1, x.shape[1], 3, self.heads, self.width))
        parts = keras.ops.transpose(parts, (2, 0, 3, 1, 4))
        q, k, v = parts[0], parts[1], parts[2]
        weights = keras.ops.softmax((q * self.width**-0.5) @ keras.ops.transpose(k, (0, 1, 3, 2)), axis=-1)
        made = keras.ops.transpose(weights @ v, (0, 2, 1, 3))
        return self.out(keras.ops.reshape(made, (-1, x.shape[1], self.heads * self.width)))


inputs = keras.Input((64, 64, 3))
h = layers.Reshape((64, 48))(layers.Conv2D(48, 8, 8)(inputs))
for _ in range(3):
    h = h + Attention(4, 12)(layers.LayerNormalization()(h))
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(layers.Flatten()(h)))
"""
AVERAGED = HALVES + """model = keras.Sequential([keras.Input((32, 32, 3))])
for filters in (32, 64):
    model.add(layers.Conv2D(filters, 3, padding="same", activation="relu"))
model.add(layers.GlobalAveragePooling2D())
model.add(layers.Dense(10, activation="softmax", dtype="float32"))
"""
ORDERED = {
    "reader": HEAD + READER, "windowed": HEAD + WINDOWED + CLASSIFIED, "averaged": HEAD + AVERAGED + CLASSIFIED,
}
"""A model whose name comes after "gradient_tape", slices that share memory and products of what was transposed, means
and a conditional of mixed precision."""
