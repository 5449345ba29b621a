"""More programs whose step is measured and estimated: sequences, in layers over time and in attention."""

from __future__ import annotations

from tests.oracle.memory_models import CLASSIFIED, HEAD

TOKENS = """
x, y = np.zeros((4 * BATCH, LENGTH), "int32"), np.zeros((4 * BATCH,), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
TCN = """def residual(x, filters, rate):
    y = layers.Conv1D(filters, 3, padding="causal", dilation_rate=rate)(x)
    y = layers.LayerNormalization()(y)
    y = layers.SpatialDropout1D(0.1)(layers.Activation("relu")(y))
    y = layers.Conv1D(filters, 3, padding="causal", dilation_rate=rate, activation="relu")(y)
    if x.shape[-1] != filters:
        x = layers.Conv1D(filters, 1)(x)
    return layers.Activation("relu")(layers.add([x, y]))

inputs = x = keras.Input((256, 8))
for rate in (1, 2, 4, 8, 16):
    x = residual(x, 48, rate)
model = keras.Model(inputs, layers.Dense(6, activation="softmax")(layers.GlobalMaxPooling1D()(x)))
"""
TRANSLATOR = """source = keras.Input((24,), dtype="int32")
target = keras.Input((24,), dtype="int32")
def place(tokens):
    return layers.Embedding(2000, 96)(tokens)
def ffn(x):
    y = layers.Dense(96)(layers.Dense(256, activation="relu")(x))
    return layers.LayerNormalization()(layers.Add()([x, layers.Dropout(0.1)(y)]))
e = place(source)
e = layers.LayerNormalization()(layers.Add()([e, layers.MultiHeadAttention(4, 24)(e, e)]))
e = ffn(e)
d = place(target)
d = layers.LayerNormalization()(layers.Add()([d, layers.MultiHeadAttention(4, 24)(d, d, use_causal_mask=True)]))
d = layers.LayerNormalization()(layers.Add()([d, layers.MultiHeadAttention(4, 24)(d, e)]))
d = ffn(d)
model = keras.Model([source, target], layers.Dense(2000)(d))
x = [np.zeros((4 * BATCH, 24), "int32"), np.zeros((4 * BATCH, 24), "int32")]
y = np.zeros((4 * BATCH, 24), "int32")
model.compile(OPTIMIZER, keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
ATTENDING = """inputs = keras.Input((128,), dtype="int32")
x = layers.Embedding(4000, 128)(inputs)
for _ in range(3):
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 32)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(128)(layers.Dense(512, activation="gelu")(x)))
model = keras.Model(inputs, layers.Dense(4, activation="softmax")(layers.GlobalAveragePooling1D()(x)))
"""
BOTH_WAYS = """model = keras.Sequential([
    keras.Input((80,), dtype="int32"), layers.Embedding(4000, 64),
    layers.Bidirectional(layers.LSTM(64, return_sequences=True)), layers.Bidirectional(layers.LSTM(32)),
    layers.Dense(64, activation="relu"), layers.Dropout(0.5), layers.Dense(4, activation="softmax")])
"""
BOTH_GRU = """model = keras.Sequential([
    keras.Input((60,), dtype="int32"), layers.Embedding(3000, 48),
    layers.Bidirectional(layers.GRU(48, return_sequences=True), merge_mode="sum"),
    layers.GlobalMaxPooling1D(), layers.Dense(4, activation="softmax")])
"""
MASKED = """inputs = keras.Input((50,), dtype="int32")
x = layers.Embedding(3000, 64, mask_zero=True)(inputs)
x = layers.GRU(96, return_sequences=True)(x)
x = layers.GRU(48, dropout=0.2)(x)
model = keras.Model(inputs, layers.Dense(5, activation="softmax")(x))
"""
STACKED = """model = keras.Sequential([
    keras.Input((40, 12)), layers.LSTM(64, return_sequences=True), layers.Dropout(0.2),
    layers.LSTM(64, return_sequences=True), layers.LSTM(64), layers.Dense(1)])
x, y = np.zeros((4 * BATCH, 40, 12), "float32"), np.zeros((4 * BATCH, 1), "float32")
model.compile(OPTIMIZER, "mse", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
STATES = """source, target = keras.Input((20,), dtype="int32"), keras.Input((20,), dtype="int32")
e, h, c = layers.LSTM(96, return_state=True)(layers.Embedding(1500, 64)(source))
d = layers.LSTM(96, return_sequences=True)(layers.Embedding(1500, 64)(target), initial_state=[h, c])
model = keras.Model([source, target], layers.Dense(1500, activation="softmax")(d))
x = [np.zeros((4 * BATCH, 20), "int32"), np.zeros((4 * BATCH, 20), "int32")]
y = np.zeros((4 * BATCH, 20), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
FRAMES = """model = keras.Sequential([
    keras.Input((8, 32, 32, 1)), layers.ConvLSTM2D(16, 3, padding="same", return_sequences=True),
    layers.BatchNormalization(), layers.ConvLSTM2D(16, 3, padding="same"),
    layers.Conv2D(8, 3, activation="relu"), layers.GlobalAveragePooling2D(), layers.Dense(3, activation="softmax")])
"""
TEXTS = """model = keras.Sequential([
    keras.Input((200,), dtype="int32"), layers.Embedding(5000, 64), layers.Dropout(0.2),
    layers.Conv1D(128, 5, activation="relu"), layers.MaxPooling1D(4), layers.Conv1D(128, 5, activation="relu"),
    layers.GlobalMaxPooling1D(), layers.Dense(64, activation="relu"), layers.Dense(4, activation="softmax")])
"""
SEQUENCES: dict[str, str] = {
    "tcn": HEAD + TCN + CLASSIFIED,
    "translator": HEAD + TRANSLATOR,
    "attending": HEAD + ATTENDING + TOKENS.replace("LENGTH", "128"),
    "both_ways": HEAD + BOTH_WAYS + TOKENS.replace("LENGTH", "80"),
    "both_gru": HEAD + BOTH_GRU + TOKENS.replace("LENGTH", "60"),
    "masked": HEAD + MASKED + TOKENS.replace("LENGTH", "50"),
    "stacked": HEAD + STACKED,
    "states": HEAD + STATES,
    "frames": HEAD + FRAMES + CLASSIFIED,
    "texts": HEAD + TEXTS + TOKENS.replace("LENGTH", "200"),
}
