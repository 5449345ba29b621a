"""More programs in the styles that users write, of which XLA is asked: sound, signals, text, clicks and pictures."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD
from tests.oracle.memory_users import MIXED

KEYWORDS = HEAD + """
def build(input_shape, n_classes):
    inputs = keras.Input(input_shape)
    x = layers.Conv1D(64, 80, strides=4, padding="same")(inputs)
    x = layers.BatchNormalization()(x)
    x = layers.Activation("relu")(x)
    x = layers.MaxPooling1D(4)(x)
    for f in (64, 128, 256):
        x = layers.Conv1D(f, 3, padding="same")(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
        x = layers.MaxPooling1D(4)(x)
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(inputs, layers.Dense(n_classes, activation="softmax")(x))
model = build((16000, 1), 35)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(np.zeros((256, 16000, 1), "float32"), np.zeros((256,), "int32"), batch_size=64, validation_split=0.2)
"""
SPEAKER = HEAD + """
def residual_block(x, filters, conv_num=3, activation="relu"):
    s = layers.Conv1D(filters, 1, padding="same")(x)
    for i in range(conv_num - 1):
        x = layers.Conv1D(filters, 3, padding="same")(x)
        x = layers.Activation(activation)(x)
    x = layers.Conv1D(filters, 3, padding="same")(x)
    x = layers.Add()([x, s])
    x = layers.Activation(activation)(x)
    return layers.MaxPool1D(pool_size=2, strides=2)(x)
inputs = layers.Input(shape=(8000, 1), name="input")
x = residual_block(inputs, 16, 2)
x = residual_block(x, 32, 2)
x = residual_block(x, 64, 3)
x = residual_block(x, 128, 3)
x = residual_block(x, 128, 3)
x = layers.AveragePooling1D(pool_size=3, strides=3)(x)
x = layers.Flatten()(x)
x = layers.Dense(256, activation="relu")(x)
x = layers.Dense(128, activation="relu")(x)
outputs = layers.Dense(5, activation="softmax", name="output")(x)
model = keras.models.Model(inputs=inputs, outputs=outputs)
model.compile(optimizer="Adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(np.zeros((512, 8000, 1), "float32"), np.zeros((512,), "int32"), batch_size=128, epochs=10)
"""
HEART = HEAD + """
x = inputs = keras.Input((1024, 2))
for f in (32, 64, 128):
    x = layers.Conv1D(f, 9, padding="same", activation="relu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.MaxPooling1D(2, padding="same")(x)
for f in (128, 64, 32):
    x = layers.Conv1D(f, 9, padding="same", activation="relu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.UpSampling1D(2)(x)
out = layers.Conv1D(2, 9, padding="same", activation="linear")(x)
model = keras.Model(inputs, out)
model.compile("adam", "mae")
x = np.zeros((512, 1024, 2), "float32")
model.fit(x, x, batch_size=256, epochs=100, shuffle=True)
"""
REVIEWS = HEAD + """
from keras import ops
class TransformerBlock(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.1):
        super().__init__()
        self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)
        self.ffn = keras.Sequential([layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)])
        self.layernorm1 = layers.LayerNormalization(epsilon=1e-6)
        self.layernorm2 = layers.LayerNormalization(epsilon=1e-6)
        self.dropout1 = layers.Dropout(rate)
        self.dropout2 = layers.Dropout(rate)

    def call(self, inputs):
        attn_output = self.att(inputs, inputs)
        attn_output = self.dropout1(attn_output)
        out1 = self.layernorm1(inputs + attn_output)
        ffn_output = self.ffn(out1)
        ffn_output = self.dropout2(ffn_output)
        return self.layernorm2(out1 + ffn_output)

class TokenAndPositionEmbedding(layers.Layer):
    def __init__(self, maxlen, vocab_size, embed_dim):
        super().__init__()
        self.token_emb = layers.Embedding(input_dim=vocab_size, output_dim=embed_dim)
        self.pos_emb = layers.Embedding(input_dim=maxlen, output_dim=embed_dim)

    def call(self, x):
        maxlen = ops.shape(x)[-1]
        positions = ops.arange(start=0, stop=maxlen, step=1)
        positions = self.pos_emb(positions)
        x = self.token_emb(x)
        return x + positions

inputs = layers.Input(shape=(200,))
x = TokenAndPositionEmbedding(200, 20000, 32)(inputs)
x = TransformerBlock(32, 2, 32)(x)
x = layers.GlobalAveragePooling1D()(x)
x = layers.Dropout(0.1)(x)
x = layers.Dense(20, activation="relu")(x)
x = layers.Dropout(0.1)(x)
outputs = layers.Dense(2, activation="softmax")(x)
model = keras.Model(inputs=inputs, outputs=outputs)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(np.zeros((256, 200), "int32"), np.zeros((256,), "int64"), batch_size=32, epochs=2)
"""
CLICKS = HEAD + """
from keras import ops
SIZES = [1000, 5000, 20000, 300, 12, 40000, 800, 64]
dense = keras.Input((13,), name="numeric")
cats = [keras.Input((1,), dtype="int32", name=f"c{i}") for i in range(len(SIZES))]
x = dense
for units in (512, 256, 64):
    x = layers.Dense(units, activation="relu")(x)
embedded = [layers.Flatten()(layers.Embedding(size, 64)(c)) for size, c in zip(SIZES, cats)]
stacked = ops.stack([x] + embedded, axis=1)
inter = ops.matmul(stacked, ops.transpose(stacked, (0, 2, 1)))
inter = layers.Flatten()(inter)
z = layers.Concatenate()([x, inter])
for units in (1024, 512, 256):
    z = layers.Dense(units, activation="relu")(z)
out = layers.Dense(1, activation="sigmoid")(z)
model = keras.Model([dense] + cats, out)
model.compile(optimizer=keras.optimizers.Adagrad(0.01), loss="binary_crossentropy", metrics=["AUC"])
data = [np.zeros((4096, 13), "float32")] + [np.zeros((4096, 1), "int32") for _ in SIZES]
model.fit(data, np.zeros((4096, 1), "float32"), batch_size=2048, epochs=3)
"""
WEIGHTED = MIXED + """
def swish_bn(x):
    return layers.Activation("swish")(layers.BatchNormalization()(x))

def mbconv(x, out, expand, k, s):
    inp = x
    c = x.shape[-1]
    if expand != 1:
        x = swish_bn(layers.Conv2D(c * expand, 1, padding="same", use_bias=False)(x))
    x = swish_bn(layers.DepthwiseConv2D(k, strides=s, padding="same", use_bias=False)(x))
    se = layers.GlobalAveragePooling2D()(x)
    se = layers.Reshape((1, 1, c * expand))(se)
    se = layers.Conv2D(max(1, c // 4), 1, padding="same", activation="swish")(se)
    se = layers.Conv2D(c * expand, 1, padding="same", activation="sigmoid")(se)
    x = layers.multiply([x, se])
    x = layers.BatchNormalization()(layers.Conv2D(out, 1, padding="same", use_bias=False)(x))
    if s == 1 and c == out:
        x = layers.Dropout(0.2, noise_shape=(None, 1, 1, 1))(x)
        x = layers.add([x, inp])
    return x

inputs = keras.Input((128, 128, 3))
x = layers.Rescaling(1.0 / 255)(inputs)
x = swish_bn(layers.Conv2D(32, 3, strides=2, padding="same", use_bias=False)(x))
for out, e, k, s, n in ((16, 1, 3, 1, 1), (24, 6, 3, 2, 2), (40, 6, 5, 2, 2), (80, 6, 3, 2, 2)):
    x = mbconv(x, out, e, k, s)
    for _ in range(n - 1):
        x = mbconv(x, out, e, k, 1)
x = swish_bn(layers.Conv2D(480, 1, padding="same", use_bias=False)(x))
x = layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, layers.Dense(120, activation="softmax", dtype="float32")(x))
model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
model.fit(np.zeros((128, 128, 128, 3), "float32"), np.zeros((128, 120), "float32"), batch_size=64)
"""
UPSAMPLED = HEAD + """
x = inputs = keras.Input((64, 64, 3))
for _ in range(3):
    x = layers.Conv2D(32, 3, padding="same")(x)
    x = layers.ReLU()(x)
x = layers.UpSampling2D(2, interpolation="bilinear")(x)
x = layers.Conv2D(16, 3, padding="same", activation="relu")(x)

model = keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(x))
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((64, *(64, 64, 3)), "float32"), np.zeros((64, *model.output_shape[1:]), "float32"), batch_size=32)
"""
SUMMED = HEAD + """
x = inputs = keras.Input((64, 64, 4))
for f in (64, 64):
    x = layers.Conv2D(f, 3, padding="same", activation="relu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.Conv2D(f, 3, padding="same", activation="relu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.MaxPooling2D()(x)

x = layers.GlobalAveragePooling2D()(x)
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(x))
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((128, *(64, 64, 4)), "float32"), np.zeros((128,), "int32"), batch_size=64)
"""
TASKS: Mapping[str, str] = {
    "keywords": KEYWORDS, "speaker": SPEAKER, "heart": HEART, "reviews": REVIEWS, "clicks": CLICKS,
    "weighted": WEIGHTED, "upsampled": UPSAMPLED, "summed": SUMMED}
