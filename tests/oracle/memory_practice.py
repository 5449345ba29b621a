"""Programs as courses, papers and examples have them, of which XLA is asked: what they do that others here do not."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD
from tests.oracle.memory_users import MIXED

TRANSLATED = HEAD + """
VOCAB, SEQ, DIM, DENSE, HEADS = 12000, 40, 128, 512, 4
def embedded(ids):
    places = layers.Embedding(SEQ, DIM)(keras.ops.arange(SEQ))
    return layers.Embedding(VOCAB, DIM)(ids) + places
def projected(x):
    y = layers.Dense(DIM)(layers.Dense(DENSE, activation="relu")(x))
    return layers.LayerNormalization()(x + y)
def attended(x, other, **how):
    y = layers.MultiHeadAttention(HEADS, DIM // HEADS)(x, other, **how)
    return layers.LayerNormalization()(x + y)
source, target = keras.Input((SEQ,), dtype="int32"), keras.Input((SEQ,), dtype="int32")
encoded = embedded(source)
encoded = projected(attended(encoded, encoded))
x = embedded(target)
x = projected(attended(attended(x, x, use_causal_mask=True), encoded))
outputs = layers.Dense(VOCAB, activation="softmax")(layers.Dropout(0.5)(x))
model = keras.Model([source, target], outputs)
model.compile("rmsprop", "sparse_categorical_crossentropy", metrics=["accuracy"])
ids = np.zeros((640, SEQ), "int32")
model.fit([ids, ids], ids, batch_size=64)
"""
FINE_TUNED = MIXED + """
L, V, D, H = 128, 30522, 128, 4
ids = keras.Input((L,), dtype="int32")
x = layers.Embedding(V, D)(ids)
x = layers.Dropout(0.1)(layers.LayerNormalization(epsilon=1e-12)(x))
for _ in range(2):
    y = layers.MultiHeadAttention(H, D // H, dropout=0.1)(x, x)
    x = layers.LayerNormalization(epsilon=1e-12)(layers.Add()([x, layers.Dropout(0.1)(y)]))
    y = layers.Dense(D)(layers.Dense(4 * D, activation="gelu")(x))
    x = layers.LayerNormalization(epsilon=1e-12)(layers.Add()([x, layers.Dropout(0.1)(y)]))
x = layers.Dense(D, activation="tanh")(x[:, 0])
model = keras.Model(ids, layers.Dense(2, dtype="float32")(x))
model.compile(keras.optimizers.AdamW(2e-5, weight_decay=0.01, global_clipnorm=1.0),
              keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((320, L), "int32"), np.zeros((320,), "int32"), batch_size=32)
"""
REGRESSED = HEAD + """
model = keras.Sequential([keras.Input((90,))])
for units in (512, 512, 256, 128):
    model.add(layers.Dense(units, activation="swish", kernel_regularizer="l2"))
    model.add(layers.BatchNormalization())
    model.add(layers.Dropout(0.1))
model.add(layers.Dense(1))
model.compile(keras.optimizers.Adam(1e-3, use_ema=True), "mean_squared_error", metrics=["mae"])
model.fit(np.zeros((8192, 90)), np.zeros((8192,)), batch_size=4096)
"""
ENLARGED = HEAD + """
import tensorflow as tf
def normed(x):
    return layers.BatchNormalization(momentum=0.8)(layers.Conv2D(64, 3, padding="same")(x))
def bent(x):
    return layers.PReLU(shared_axes=[1, 2])(x)
inputs = keras.Input((48, 48, 3))
x = before = bent(layers.Conv2D(64, 9, padding="same")(inputs))
for _ in range(4):
    x = layers.Add()([x, normed(bent(normed(x)))])
x = layers.Add()([before, normed(x)])
for _ in range(2):
    x = layers.Conv2D(256, 3, padding="same")(x)
    x = bent(layers.Lambda(lambda t: tf.nn.depth_to_space(t, 2))(x))
model = keras.Model(inputs, layers.Conv2D(3, 9, padding="same", activation="tanh")(x))
model.compile(keras.optimizers.Adam(1e-4), "mae")
model.fit(np.zeros((64, 48, 48, 3), "float32"), np.zeros((64, 192, 192, 3), "float32"), batch_size=8)
"""
FORECAST = HEAD + """
series, station = keras.Input((168, 7)), keras.Input((1,), dtype="int32")
x = layers.Conv1D(64, 3, padding="causal", activation="relu")(series)
for rate in (2, 4, 8, 16):
    y = layers.LayerNormalization()(layers.Conv1D(64, 3, padding="causal", dilation_rate=rate)(x))
    y = layers.SpatialDropout1D(0.1)(layers.Activation("relu")(y))
    x = layers.add([x, y])
e = layers.Flatten()(layers.Embedding(500, 16)(station))
x = layers.concatenate([layers.GlobalAveragePooling1D()(x), e])
model = keras.Model([series, station], layers.Dense(24)(layers.Dense(128, activation="relu")(x)))
model.compile("adam", keras.losses.Huber(), metrics=["mae"])
model.fit([np.zeros((1024, 168, 7), "float32"), np.zeros((1024, 1), "int32")], np.zeros((1024, 24), "float32"),
          batch_size=256)
"""
POOLED = HEAD + """
x = inputs = keras.Input((64, 64, 3))
for filters in (32, 64, 128):
    x = layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same")(x))
    x = layers.MaxPooling2D()(layers.LeakyReLU(0.2)(x))
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))
model.compile("adam", "mse")
model.fit(np.zeros((256, 64, 64, 3), "float32"), np.zeros((256, 10), "float32"), batch_size=32)
"""
SIGNALS = HEAD + """
x = inputs = keras.Input((1024, 2))
for filters in (32, 64, 128):
    x = layers.LeakyReLU(0.2)(layers.Conv1D(filters, 7, padding="same")(x))
    x = layers.MaxPooling1D(2, padding="same")(x)
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))
model.compile("adam", "mse")
model.fit(np.zeros((256, 1024, 2), "float32"), np.zeros((256, 10), "float32"), batch_size=128)
"""
SWISHES = POOLED.replace('layers.LeakyReLU(0.2)', 'layers.Activation("swish")')
FORGED = HEAD + """
import tensorflow as tf
BATCH, Z = 64, 100
def leaky(x, layer):
    return layers.LeakyReLU()(layers.BatchNormalization()(layer(x)))
noise = keras.Input((Z,))
x = layers.Reshape((7, 7, 256))(leaky(noise, layers.Dense(7 * 7 * 256, use_bias=False)))
x = leaky(x, layers.Conv2DTranspose(128, 5, padding="same", use_bias=False))
x = leaky(x, layers.Conv2DTranspose(64, 5, strides=2, padding="same", use_bias=False))
x = layers.Conv2DTranspose(1, 5, strides=2, padding="same", use_bias=False, activation="tanh")(x)
generator = keras.Model(noise, x)
discriminator = keras.Sequential([
    keras.Input((28, 28, 1)),
    layers.Conv2D(64, 5, strides=2, padding="same"), layers.LeakyReLU(), layers.Dropout(0.3),
    layers.Conv2D(128, 5, strides=2, padding="same"), layers.LeakyReLU(), layers.Dropout(0.3),
    layers.Flatten(), layers.Dense(1)])
class GAN(keras.Model):
    def compile(self, by, of, loss):
        super().compile()
        self.by, self.of, self.loss_fn = by, of, loss
    def train_step(self, real):
        size = tf.shape(real)[0]
        joined = tf.concat([generator(tf.random.normal((size, Z))), real], axis=0)
        labels = tf.concat([tf.ones((size, 1)), tf.zeros((size, 1))], axis=0)
        with tf.GradientTape() as tape:
            loss = self.loss_fn(labels, discriminator(joined))
        found = tape.gradient(loss, discriminator.trainable_weights)
        self.by.apply_gradients(zip(found, discriminator.trainable_weights))
        noise = tf.random.normal((size, Z))
        with tf.GradientTape() as tape:
            other = self.loss_fn(tf.zeros((size, 1)), discriminator(generator(noise)))
        found = tape.gradient(other, generator.trainable_weights)
        self.of.apply_gradients(zip(found, generator.trainable_weights))
        return {"d_loss": loss, "g_loss": other}
gan = GAN()
gan.compile(keras.optimizers.Adam(3e-4), keras.optimizers.Adam(3e-4), keras.losses.BinaryCrossentropy(from_logits=True))
gan.fit(np.zeros((640, 28, 28, 1), "float32"), batch_size=BATCH)
"""
READ = HEAD + """
model = keras.Sequential([
    keras.Input((80,)), layers.Embedding(5000, 64), layers.GRU(96, recurrent_dropout=0.2),
    layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((512, 80), "int32"), np.zeros((512, 1), "float32"), batch_size=128)
"""
STACKED = HEAD + """
model = keras.Sequential([
    keras.Input((100, 32)), layers.LSTM(128, use_cudnn=False, return_sequences=True), layers.LSTM(64, use_cudnn=False),
    layers.Dense(4)])
model.compile("adam", "mse")
model.fit(np.zeros((1024, 100, 32), "float32"), np.zeros((1024, 4), "float32"), batch_size=256)
"""
BOTH_WAYS = HEAD + """
model = keras.Sequential([
    keras.Input((60, 48)), layers.Bidirectional(layers.LSTM(64, use_cudnn=False, return_sequences=True)),
    layers.Bidirectional(layers.LSTM(32, use_cudnn=False)), layers.Dense(8, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((512, 60, 48), "float32"), np.zeros((512,), "int32"), batch_size=128)
"""
REPEATED = HEAD + """
inputs = keras.Input((50, 12))
x = layers.LSTM(100, activation="relu", dropout=0.2, return_sequences=True)(inputs)
x = layers.LSTM(50, activation="relu", recurrent_dropout=0.2)(x)
x = layers.SimpleRNN(50, return_sequences=True)(layers.RepeatVector(50)(x))
model = keras.Model(inputs, layers.TimeDistributed(layers.Dense(12))(x))
model.compile("rmsprop", "mse")
model.fit(np.zeros((512, 50, 12), "float32"), np.zeros((512, 50, 12), "float32"), batch_size=64)
"""
PRACTICE: Mapping[str, str] = {
    "translated": TRANSLATED, "fine_tuned": FINE_TUNED, "regressed": REGRESSED, "enlarged": ENLARGED,
    "forecast": FORECAST, "pooled": POOLED, "signals": SIGNALS, "swishes": SWISHES, "forged": FORGED,
    "read": READ, "stacked_loops": STACKED, "both_loops": BOTH_WAYS, "repeated": REPEATED}
