"""More programs whose step is measured and estimated: models that train themselves, and what transformers are made of.

They build their optimizers themselves: a step that is traced makes no variables.
"""

from __future__ import annotations

from tests.oracle.memory_models import CLASSIFIED, HEAD

TAPED = "import tensorflow as tf\n"
ADVERSARIES = """drawer = keras.Sequential([
    keras.Input((32,)), layers.Dense(8 * 8 * 48), layers.Reshape((8, 8, 48)),
    layers.Conv2DTranspose(64, 4, 2, padding="same"), layers.BatchNormalization(), layers.LeakyReLU(),
    layers.Conv2DTranspose(32, 4, 2, padding="same"), layers.LeakyReLU(),
    layers.Conv2D(3, 5, padding="same", activation="tanh")])
judge = keras.Sequential([
    keras.Input((32, 32, 3)), layers.Conv2D(32, 4, 2, padding="same"), layers.LeakyReLU(), layers.Dropout(0.3),
    layers.Conv2D(64, 4, 2, padding="same"), layers.LeakyReLU(), layers.Flatten(), layers.Dense(1)])
"""
IN_TURNS = """class Turns(keras.Model):
    def __init__(self):
        super().__init__()
        self.drawer, self.judge, self.seeds = drawer, judge, keras.random.SeedGenerator(1)
        self.loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)

    def call(self, x):
        return self.judge(x)

    def compile(self, first, second):
        super().compile(jit_compile=False)
        self.of_drawer, self.of_judge = first, second
        first.build(self.drawer.trainable_variables)
        second.build(self.judge.trainable_variables)

    def train_step(self, data):
        real = data[0]
        count = keras.ops.shape(real)[0]
        both = keras.ops.concatenate([real, self.drawer(keras.random.normal((count, 32), seed=self.seeds))], axis=0)
        told = keras.ops.concatenate([keras.ops.ones((count, 1)), keras.ops.zeros((count, 1))], axis=0)
        with tf.GradientTape() as tape:
            wrong = self.loss_fn(told, self.judge(both, training=True))
        grads = tape.gradient(wrong, self.judge.trainable_weights)
        self.of_judge.apply_gradients(zip(grads, self.judge.trainable_weights))
        with tf.GradientTape() as tape:
            drawn = self.drawer(keras.random.normal((count, 32), seed=self.seeds), training=True)
            seen = self.loss_fn(keras.ops.ones((count, 1)), self.judge(drawn))
        grads = tape.gradient(seen, self.drawer.trainable_weights)
        self.of_drawer.apply_gradients(zip(grads, self.drawer.trainable_weights))
        return {"wrong": wrong, "seen": seen}

model = Turns()
model.compile(keras.optimizers.Adam(1e-4), keras.optimizers.Adam(1e-4))
"""
AT_ONCE = """class Both(keras.Model):
    def __init__(self):
        super().__init__()
        self.drawer, self.judge = drawer, judge
        self.loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)
        self.of_drawer, self.of_judge = keras.optimizers.Adam(1e-4), keras.optimizers.RMSprop(1e-4)
        self.of_drawer.build(drawer.trainable_variables)
        self.of_judge.build(judge.trainable_variables)

    def call(self, x):
        return self.judge(x)

    def train_step(self, data):
        real = data[0]
        with tf.GradientTape() as a, tf.GradientTape() as b:
            made = self.drawer(tf.random.normal((BATCH, 32)), training=True)
            right, fooled = self.judge(real, training=True), self.judge(made, training=True)
            of_judge = self.loss_fn(tf.ones_like(right), right) + self.loss_fn(tf.zeros_like(fooled), fooled)
            of_drawer = self.loss_fn(tf.ones_like(fooled), fooled)
        parts = ((a, of_drawer, self.drawer, self.of_drawer), (b, of_judge, self.judge, self.of_judge))
        for tape, loss, part, by in parts:
            by.apply_gradients(zip(tape.gradient(loss, part.trainable_variables), part.trainable_variables))
        return {"drawer": of_drawer, "judge": of_judge}

model = Both()
model.compile("sgd", jit_compile=False)
"""
PICTURES = """x, y = np.zeros((4 * BATCH, 32, 32, 3), "float32"), np.zeros((4 * BATCH, 1), "float32")
model.fit(x, y, batch_size=BATCH)
"""
CODES = """inputs = keras.Input((32, 32, 3))
h = layers.Conv2D(32, 3, 2, padding="same", activation="relu")(inputs)
h = layers.Flatten()(layers.Conv2D(64, 3, 2, padding="same", activation="relu")(h))
encoder = keras.Model(inputs, [layers.Dense(16)(h), layers.Dense(16)(h)])
decoder = keras.Sequential([
    keras.Input((16,)), layers.Dense(8 * 8 * 32, activation="relu"), layers.Reshape((8, 8, 32)),
    layers.Conv2DTranspose(32, 3, 2, padding="same", activation="relu"),
    layers.Conv2DTranspose(3, 3, 2, padding="same", activation="sigmoid")])

class Codes(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def call(self, x):
        return self.decoder(self.encoder(x)[0])

    def train_step(self, data):
        x = data[0]
        with tf.GradientTape() as tape:
            mean, spread = self.encoder(x, training=True)
            code = mean + tf.exp(0.5 * spread) * tf.random.normal(tf.shape(mean))
            again = self.decoder(code, training=True)
            near = tf.reduce_mean(tf.reduce_sum(keras.losses.binary_crossentropy(x, again), axis=(1, 2)))
            loss = near - 0.5 * tf.reduce_mean(tf.reduce_sum(1 + spread - tf.square(mean) - tf.exp(spread), axis=1))
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        return {"loss": loss}

model = Codes()
model.compile(OPTIMIZER, jit_compile=False)
"""
HALVES = """class Halves(keras.Model):
    def __init__(self):
        super().__init__()
        self.features = keras.Sequential([
            layers.Conv2D(32, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
            layers.Conv2D(64, 3, padding="same", activation="relu"), layers.GlobalAveragePooling2D()])
        self.head = layers.Dense(10)
        self.loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def call(self, x, training=False):
        return self.head(self.features(x, training=training))

    def train_step(self, data):
        x, y = data
        total = [tf.zeros_like(v) for v in self.trainable_variables]
        for xs, ys in zip(tf.split(x, 2), tf.split(y, 2)):
            with tf.GradientTape() as tape:
                loss = self.loss_fn(ys, self(xs, training=True)) / 2
            total = [t + g for t, g in zip(total, tape.gradient(loss, self.trainable_variables))]
        self.optimizer.apply_gradients(zip(total, self.trainable_variables))
        return {"loss": loss}

model = Halves()
model(np.zeros((1, 32, 32, 3), "float32"))
model.compile(OPTIMIZER, jit_compile=False)
x, y = np.ones((4 * BATCH, 32, 32, 3), "float32"), np.zeros((4 * BATCH,), "int32")
model.fit(x, y, batch_size=BATCH)
"""
PADDED = """class Block(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.supports_masking = True
        self.attend = layers.MultiHeadAttention(4, width // 4)
        self.think = keras.Sequential([layers.Dense(2 * width, activation="relu"), layers.Dense(width)])
        self.first, self.second = layers.LayerNormalization(), layers.LayerNormalization()
        self.drop = layers.Dropout(0.1)

    def call(self, x, training=False):
        x = self.first(x + self.drop(self.attend(x, x), training=training))
        return self.second(x + self.think(x))

inputs = keras.Input((96,), dtype="int32")
h = layers.Embedding(3000, 64, mask_zero=True)(inputs)
for _ in range(3):
    h = Block(64)(h)
h = layers.GlobalAveragePooling1D()(h)
model = keras.Model(inputs, layers.Dense(5, activation="softmax")(h))
x, y = np.ones((4 * BATCH, 96), "int32"), np.zeros((4 * BATCH,), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
MIXED = """inputs = keras.Input((32, 32, 3))
h = layers.Reshape((64, 64))(layers.Conv2D(64, 4, strides=4)(inputs))
for _ in range(3):
    y = layers.Permute((2, 1))(layers.LayerNormalization()(h))
    y = layers.Dense(64)(layers.Dense(96, activation="gelu")(y))
    h = layers.add([h, layers.Permute((2, 1))(y)])
    y = layers.Dense(128, activation="gelu")(layers.LayerNormalization()(h))
    h = layers.add([h, layers.Dropout(0.1)(layers.Dense(64)(y))])
outputs = layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling1D()(h))
model = keras.Model(inputs, outputs)
"""
SPREAD = """inputs = keras.Input((32, 32, 3))
h = layers.BatchNormalization()(layers.Conv2D(64, 2, 2, activation="gelu")(inputs))
for _ in range(4):
    y = layers.BatchNormalization()(layers.Activation("gelu")(layers.DepthwiseConv2D(5, padding="same")(h)))
    h = layers.BatchNormalization()(layers.Conv2D(64, 1, activation="gelu")(layers.add([h, y])))
outputs = layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(h))
model = keras.Model(inputs, outputs)
"""
OWN: dict[str, str] = {
    "in_turns": HEAD + TAPED + ADVERSARIES + IN_TURNS + PICTURES,
    "at_once": HEAD + TAPED + ADVERSARIES + AT_ONCE + PICTURES,
    "codes": HEAD + TAPED + CODES + PICTURES,
}
"""Steps that are written with TensorFlow's tapes."""
BLOCKS: dict[str, str] = {
    "padded": HEAD + PADDED,
    "mixed": HEAD + MIXED + CLASSIFIED,
    "spread": HEAD + SPREAD + CLASSIFIED,
}
SUMS: dict[str, str] = {"halves": HEAD + TAPED + HALVES}
"""Steps that add up what several tapes give."""
