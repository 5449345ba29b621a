"""Other networks as users write them, whose step is measured and estimated: each is there for what it showed."""

from __future__ import annotations

from tests.oracle.memory_models import CLASSIFIED, HEAD
from tests.oracle.memory_pictured import PICTURED
from tests.oracle.memory_steps import TAPED

WAVES = """history = h = keras.Input((400, 1))
skips = []
for rate in [2 ** i for i in range(6)] * 2:
    h = layers.Conv1D(16, 1, padding="same", activation="relu")(h)
    f = layers.Conv1D(32, 2, padding="causal", dilation_rate=rate)(h)
    g = layers.Conv1D(32, 2, padding="causal", dilation_rate=rate)(h)
    z = layers.Multiply()([layers.Activation("tanh")(f), layers.Activation("sigmoid")(g)])
    z = layers.Conv1D(16, 1, padding="same", activation="relu")(z)
    h = layers.Add()([h, z])
    skips.append(z)
out = layers.Conv1D(64, 1, activation="relu")(layers.Activation("relu")(layers.Add()(skips)))
model = keras.Model(history, layers.Conv1D(1, 1)(out))
x, y = np.zeros((4 * BATCH, 400, 1), "float32"), np.zeros((4 * BATCH, 400, 1), "float32")
model.compile(OPTIMIZER, "mean_absolute_error", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
ROTARY = """class RMSNorm(layers.Layer):
    def build(self, shape):
        self.weight = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return x * ops.rsqrt(ops.mean(ops.square(x), axis=-1, keepdims=True) + 1e-5) * self.weight

class Attention(layers.Layer):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads, self.length, self.each = heads, length, width // heads
        self.q, self.k, self.v, self.o = (layers.Dense(width, use_bias=False) for _ in range(4))
        turns = np.outer(np.arange(length), 1 / 10000 ** (np.arange(0, self.each, 2) / self.each)).astype("float32")
        self.cos, self.sin = np.cos(turns)[None, :, None, :], np.sin(turns)[None, :, None, :]
        self.hidden = np.triu(np.full((length, length), -1e9, "float32"), k=1)[None, None]

    def turned(self, x):
        a, b = ops.split(x, 2, axis=-1)
        return ops.concatenate([a * self.cos - b * self.sin, a * self.sin + b * self.cos], axis=-1)

    def call(self, x):
        shape = (-1, self.length, self.heads, self.each)
        q, k = self.turned(ops.reshape(self.q(x), shape)), self.turned(ops.reshape(self.k(x), shape))
        v = ops.reshape(self.v(x), shape)
        q, k, v = (ops.transpose(one, (0, 2, 1, 3)) for one in (q, k, v))
        scores = ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) / self.each ** 0.5
        out = ops.matmul(ops.softmax(scores + self.hidden, axis=-1), v)
        return self.o(ops.reshape(ops.transpose(out, (0, 2, 1, 3)), (-1, self.length, self.heads * self.each)))

tokens = keras.Input((64,), dtype="int32")
h = layers.Embedding(1000, 64)(tokens)
for _ in range(2):
    h = h + Attention(64, 4, 64)(RMSNorm()(h))
    g = RMSNorm()(h)
    h = h + layers.Dense(64, use_bias=False)(
        ops.silu(layers.Dense(160, use_bias=False)(g)) * layers.Dense(160, use_bias=False)(g))
model = keras.Model(tokens, layers.Dense(1000, use_bias=False)(RMSNorm()(h)))
x, y = np.zeros((4 * BATCH, 64), "int32"), np.zeros((4 * BATCH, 64), "int32")
model.compile(OPTIMIZER, keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
GRAPHS = """class Attend(layers.Layer):
    def __init__(self, units, heads):
        super().__init__()
        self.units, self.heads = units, heads

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[0][-1], self.heads * self.units))
        self.left, self.right = (self.add_weight(shape=(self.heads, self.units)) for _ in range(2))

    def call(self, inputs):
        x, near = inputs
        h = ops.reshape(ops.matmul(x, self.kernel), (-1, 24, self.heads, self.units))
        left, right = ops.sum(h * self.left, -1), ops.sum(h * self.right, -1)
        scores = ops.leaky_relu(ops.expand_dims(left, 2) + ops.expand_dims(right, 1), negative_slope=0.2)
        scores = ops.where(ops.expand_dims(near, -1) > 0, scores, -1e9)
        out = ops.einsum("bijh,bjhu->bihu", ops.softmax(scores, axis=2), h)
        return ops.reshape(out, (-1, 24, self.heads * self.units))

nodes, near = keras.Input((24, 16)), keras.Input((24, 24))
h = nodes
for _ in range(2):
    h = layers.Activation("elu")(Attend(16, 4)([layers.Dropout(0.2)(h), near]))
h = layers.Dense(64, activation="relu")(layers.GlobalAveragePooling1D()(h))
model = keras.Model([nodes, near], layers.Dense(6, activation="softmax")(h))
x = [np.zeros((4 * BATCH, 24, 16), "float32"), np.zeros((4 * BATCH, 24, 24), "float32")]
y = np.zeros((4 * BATCH,), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
GATES = """class Gate(layers.Layer):
    def call(self, x):
        x, gates = tf.split(x, 2, axis=-1)
        return x * tf.nn.gelu(gates)

numbers = keras.Input((12,))
h = layers.Reshape((12, 1))(numbers)
h = layers.Dense(48)(h)
for _ in range(3):
    g = layers.LayerNormalization(epsilon=1e-6)(h)
    h = h + layers.MultiHeadAttention(6, 8, dropout=0.1)(g, g)
    g = Gate()(layers.Dense(192)(layers.LayerNormalization(epsilon=1e-6)(h)))
    h = h + layers.Dense(48)(layers.Dropout(0.1)(g))
model = keras.Model(numbers, layers.Dense(4, activation="softmax")(layers.GlobalAveragePooling1D()(h)))
"""
UNTOLD = """class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.put = layers.Dense(64)
        self.blocks = [(layers.MultiHeadAttention(4, 16, dropout=0.1), layers.LayerNormalization(),
                        keras.Sequential([layers.Dense(128, activation="gelu"), layers.Dense(64), layers.Dropout(0.2)]),
                        layers.LayerNormalization()) for _ in range(2)]
        self.tell = layers.Dense(10, activation="softmax")

    def build(self, shape):
        self.latent = self.add_weight(shape=(32, 64))

    def call(self, pixels):
        data = self.put(ops.reshape(pixels, (-1, 64, 12)))
        h = ops.expand_dims(self.latent, 0) + ops.mean(data, axis=1, keepdims=True)
        for attend, first, think, second in self.blocks:
            h = first(h + attend(h, data))
            h = second(h + think(h))
        return self.tell(ops.mean(h, axis=1))

model = Net()
x, y = np.zeros((4 * BATCH, 16, 16, 3), "float32"), np.zeros((4 * BATCH,), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
STACKS = """class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.hidden = [layers.Dense(256, activation="relu") for _ in range(4)]
        self.theta = layers.Dense(168 + 24)

    def call(self, x):
        for layer in self.hidden:
            x = layer(x)
        theta = self.theta(x)
        return theta[:, :168], theta[:, -24:]

past = keras.Input((168,))
back, told = Block()(past)
left = layers.subtract([past, back])
for _ in range(5):
    back, more = Block()(left)
    left, told = layers.subtract([left, back]), layers.add([told, more])
model = keras.Model(past, told)
x, y = np.zeros((64 * BATCH, 168), "float32"), np.zeros((64 * BATCH, 24), "float32")
model.compile(OPTIMIZER, "mae", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
RESIDUES = """class Physics(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = [layers.Dense(64, activation="tanh") for _ in range(4)]
        self.out = layers.Dense(1)

    def call(self, x):
        for layer in self.hidden:
            x = layer(x)
        return self.out(x)

    def residue(self, points):
        with tf.GradientTape(persistent=True) as tape:
            t, x = points[:, 0:1], points[:, 1:2]
            tape.watch(t)
            tape.watch(x)
            u = self(tf.stack([t[:, 0], x[:, 0]], axis=1))
            slope = tape.gradient(u, x)
        return tape.gradient(u, t) + u * slope - 0.003 * tape.gradient(slope, x)

    def train_step(self, data):
        points, values = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.residue(points)))
            loss += tf.reduce_mean(tf.square(values - self(points)))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}

model = Physics()
model.compile(OPTIMIZER, jit_compile=False)
x, y = np.zeros((256 * BATCH, 2), "float32"), np.zeros((256 * BATCH, 1), "float32")
model.fit(x, y, batch_size=BATCH)
"""
RATED = """ids = keras.Input((12,), dtype="int32")
table = layers.Embedding(20000, 16)(ids)
deep = layers.Flatten()(table)
for units in (128, 64):
    deep = layers.Dropout(0.3)(layers.PReLU()(layers.BatchNormalization()(layers.Dense(units)(deep))))
crossed = 0.5 * ops.sum(ops.square(ops.sum(table, axis=1)) - ops.sum(ops.square(table), axis=1), axis=1, keepdims=True)
model = keras.Model(ids, layers.Activation("sigmoid")(layers.Add()([crossed, layers.Dense(1)(deep)])))
x, y = np.zeros((4 * BATCH, 12), "int32"), np.zeros((4 * BATCH, 1), "float32")
model.compile(keras.optimizers.Adagrad(0.1), "binary_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
OPS = "from keras import ops\n"
_OTHERS: dict[str, str] = {
    "waves": HEAD + WAVES,
    "rotary": HEAD + OPS + ROTARY,
    "graphs": HEAD + OPS + GRAPHS,
    "gates": HEAD + TAPED + GATES + CLASSIFIED,
    "untold": HEAD + OPS + UNTOLD,
    "stacks": HEAD + STACKS,
    "residues": HEAD + TAPED + RESIDUES,
    "rated": HEAD + OPS + RATED,
}
_TURNS = ("capsules", "waves", "rotary", "graphs", "gates", "sharper", "video", "poses", "pulled", "untold", "boxes",
          "stacks", "shuffled", "residues", "rated")
STYLES: dict[str, str] = {name: {**PICTURED, **_OTHERS}[name] for name in _TURNS}
"""Causal gates, attention by hand, neighbours, exact GELUs, a call() without `training`, forecasts in stacks, second
derivatives, tables that Adagrad changes."""
