"""More programs whose step is measured and estimated: nets of images."""

from __future__ import annotations

from tests.oracle.memory_models import CLASSIFIED, HEAD

SEGMENTS = """def block(x, f):
    for _ in range(2):
        x = layers.Conv2D(f, 3, padding="same", kernel_initializer="he_normal")(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
    return x

inputs = x = keras.Input((64, 64, 3))
skips = []
for f in (16, 32, 64):
    x = block(x, f)
    skips.append(x)
    x = layers.MaxPooling2D()(x)
    x = layers.Dropout(0.2)(x)
x = block(x, 128)
for f, skip in zip((64, 32, 16), reversed(skips)):
    x = layers.Conv2DTranspose(f, 3, strides=2, padding="same")(x)
    x = layers.concatenate([x, skip])
    x = layers.Dropout(0.2)(x)
    x = block(x, f)
outputs = layers.Conv2D(4, 1, activation="softmax")(x)
model = keras.Model(inputs, outputs)
x, y = np.zeros((4 * BATCH, 64, 64, 3), "float32"), np.zeros((4 * BATCH, 64, 64, 1), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
GATED = """def gate(skip, x, filters):
    a = layers.Conv2D(filters, 1)(skip)
    b = layers.Conv2D(filters, 1)(x)
    f = layers.Activation("relu")(layers.add([a, b]))
    s = layers.Conv2D(1, 1, activation="sigmoid")(f)
    return layers.multiply([skip, s])

inputs = keras.Input((64, 64, 3))
c1 = layers.Conv2D(32, 3, padding="same", activation="relu")(inputs)
c2 = layers.Conv2D(64, 3, padding="same", activation="relu")(layers.MaxPooling2D()(c1))
c3 = layers.Conv2D(128, 3, padding="same", activation="relu")(layers.MaxPooling2D()(c2))
u2 = layers.UpSampling2D()(c3)
u2 = layers.Conv2D(64, 3, padding="same", activation="relu")(layers.Concatenate()([u2, gate(c2, u2, 32)]))
u1 = layers.UpSampling2D()(u2)
u1 = layers.Conv2D(32, 3, padding="same", activation="relu")(layers.Concatenate()([u1, gate(c1, u1, 16)]))
model = keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(u1))
x, y = np.zeros((4 * BATCH, 64, 64, 3), "float32"), np.zeros((4 * BATCH, 64, 64, 1), "float32")
model.compile(OPTIMIZER, "binary_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
DILATED = """inputs = x = keras.Input((48, 48, 3))
parts = []
x = layers.Conv2D(32, 3, padding="same", use_bias=False)(x)
x = layers.PReLU(shared_axes=[1, 2])(layers.GroupNormalization(8)(x))
for rate in (1, 2, 4):
    parts.append(layers.Conv2D(32, 3, padding="same", dilation_rate=rate, activation="elu")(x))
pool = layers.AveragePooling2D(4)(x)
parts.append(layers.UpSampling2D(4, interpolation="bilinear")(layers.Conv2D(32, 1, activation="relu")(pool)))
x = layers.Conv2D(64, 1, activation="relu")(layers.Concatenate()(parts))
outputs = layers.Conv2D(5, 1, activation="softmax")(x)
model = keras.Model(inputs, outputs)
x, y = np.zeros((4 * BATCH, 48, 48, 3), "float32"), np.zeros((4 * BATCH, 48, 48), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
WIDENING = """inputs = x = keras.Input((64, 64, 3))
for f, r in ((24, 1), (24, 2), (48, 4), (48, 2)):
    x = layers.Conv2D(f, 3, padding="same", dilation_rate=r, activation="relu")(x)
outputs = layers.Conv2D(1, 1, activation="sigmoid")(x)
model = keras.Model(inputs, outputs)
x, y = np.zeros((4 * BATCH, 64, 64, 3), "float32"), np.zeros((4 * BATCH, 64, 64, 1), "float32")
model.compile(OPTIMIZER, "binary_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
SEPARABLE = """inputs = keras.Input((64, 64, 3))
x = layers.Conv2D(32, 3, strides=2, padding="same", activation="relu")(inputs)
for f, s in ((64, 1), (128, 2), (128, 1), (256, 2)):
    x = layers.SeparableConv2D(f, 3, strides=s, padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.BatchNormalization()(x))
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x)))
"""
DECODER = """model = keras.Sequential([
    keras.Input((128,)), layers.Dense(4 * 4 * 256, activation="relu"), layers.Reshape((4, 4, 256)),
    layers.Conv2DTranspose(128, 4, 2, padding="same", activation="relu"),
    layers.Conv2DTranspose(64, 4, 2, padding="same", activation="relu"),
    layers.Conv2DTranspose(32, 4, 2, padding="same", activation="relu"),
    layers.Conv2DTranspose(3, 4, 2, padding="same", activation="tanh")])
x, y = np.zeros((4 * BATCH, 128), "float32"), np.zeros((4 * BATCH, 64, 64, 3), "float32")
model.compile(OPTIMIZER, "mse", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
JOINED = """inputs = keras.Input((48, 48, 3))
x = layers.Conv2D(32, 3, padding="same")(inputs)
for _ in range(5):
    y = layers.Activation("relu")(layers.BatchNormalization()(x))
    x = layers.Concatenate()([x, layers.Conv2D(16, 3, padding="same", use_bias=False)(y)])
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x)))
"""
CONVOLVED = """model = keras.Sequential([
    layers.Input((64, 64, 3)),
    layers.Conv2D(32, 3, padding='same'), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
    layers.Conv2D(64, 3, padding='same'), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
    layers.Conv2D(128, 3, padding='same'), layers.BatchNormalization(), layers.ReLU(),
    layers.GlobalAveragePooling2D(), layers.Dropout(0.5), layers.Dense(10, activation='softmax')])
"""
AUTOENCODER = """model = keras.Sequential([
    keras.Input((32, 32, 3)),
    layers.Conv2D(32, 3, strides=2, padding="same"), layers.LeakyReLU(), layers.BatchNormalization(),
    layers.Conv2D(64, 3, strides=2, padding="same"), layers.LeakyReLU(), layers.BatchNormalization(),
    layers.Flatten(), layers.Dense(64), layers.Dense(8 * 8 * 64), layers.Reshape((8, 8, 64)),
    layers.Conv2DTranspose(64, 3, strides=2, padding="same"), layers.LeakyReLU(), layers.BatchNormalization(),
    layers.Conv2DTranspose(32, 3, strides=2, padding="same"), layers.LeakyReLU(), layers.BatchNormalization(),
    layers.Conv2DTranspose(3, 3, padding="same", activation="sigmoid")])
x = np.zeros((4 * BATCH, 32, 32, 3), "float32")
y = np.zeros((4 * BATCH, 32, 32, 3), "float32")
model.compile(OPTIMIZER, "mse", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
MULTIOUT = """inputs = keras.Input((64, 64, 3))
x = layers.Conv2D(32, 3, padding="same", activation="relu")(inputs)
x = layers.MaxPooling2D()(x)
x = layers.SeparableConv2D(64, 3, padding="same", activation="relu")(x)
shared = layers.MaxPooling2D()(x)
box = layers.Dense(4, name="box")(layers.Dense(128, activation="relu")(layers.Flatten()(shared)))
kind = layers.Dense(10, activation="softmax", name="kind")(layers.GlobalAveragePooling2D()(shared))
there = layers.Dense(1, activation="sigmoid", name="there")(layers.GlobalMaxPooling2D()(shared))
model = keras.Model(inputs, [box, kind, there])
x = np.zeros((4 * BATCH, 64, 64, 3), "float32")
y = [np.zeros((4 * BATCH, 4), "float32"), np.zeros((4 * BATCH,), "int32"), np.zeros((4 * BATCH, 1), "float32")]
losses = ["huber", "sparse_categorical_crossentropy", "binary_crossentropy"]
model.compile(OPTIMIZER, loss=losses, loss_weights=[1.0, 0.5, 0.2], jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
SIAMESE = """backbone = keras.Sequential([
    keras.Input((48, 48, 1)), layers.Conv2D(32, 5, activation="tanh"), layers.AveragePooling2D(2),
    layers.Conv2D(64, 5, activation="tanh"), layers.AveragePooling2D(2), layers.Flatten(),
    layers.BatchNormalization(), layers.Dense(64, activation="tanh")])
a, b = keras.Input((48, 48, 1)), keras.Input((48, 48, 1))
fa, fb = backbone(a), backbone(b)
def distance(pair):
    squares = keras.ops.sum(keras.ops.square(pair[0] - pair[1]), axis=1, keepdims=True)
    return keras.ops.sqrt(keras.ops.maximum(squares, 1e-7))


d = layers.Lambda(distance)([fa, fb])
model = keras.Model([a, b], layers.Dense(1, activation="sigmoid")(layers.BatchNormalization()(d)))
x = [np.zeros((4 * BATCH, 48, 48, 1), "float32"), np.zeros((4 * BATCH, 48, 48, 1), "float32")]
y = np.zeros((4 * BATCH, 1), "float32")
model.compile(OPTIMIZER, "binary_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
HARD_SWISH = """def block(x, filters, strides):
    y = layers.Activation("hard_swish")(layers.BatchNormalization()(layers.Conv2D(4 * filters, 1, use_bias=False)(x)))
    y = layers.DepthwiseConv2D(5, strides, padding="same", use_bias=False)(y)
    y = layers.Activation("hard_swish")(layers.BatchNormalization()(y))
    s = layers.Conv2D(8, 1, activation="relu")(layers.GlobalAveragePooling2D(keepdims=True)(y))
    y = layers.multiply([y, layers.Conv2D(4 * filters, 1, activation="hard_sigmoid")(s)])
    return layers.BatchNormalization()(layers.Conv2D(filters, 1, use_bias=False)(y))


inputs = keras.Input((64, 64, 3))
x = layers.Conv2D(16, 3, 2, padding="same", activation="hard_swish")(inputs)
for filters, strides in ((16, 2), (16, 1), (24, 2), (24, 1)):
    x = block(x, filters, strides)
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x)))
"""
VISION: dict[str, str] = {
    "segments": HEAD + SEGMENTS,
    "gated": HEAD + GATED,
    "dilated": HEAD + DILATED,
    "widening": HEAD + WIDENING,
    "separable": HEAD + SEPARABLE + CLASSIFIED,
    "decoder": HEAD + DECODER,
    "joined": HEAD + JOINED + CLASSIFIED,
    "convolved": HEAD + CONVOLVED + CLASSIFIED,
    "autoencoder": HEAD + AUTOENCODER,
    "multiout": HEAD + MULTIOUT,
    "siamese": HEAD + SIAMESE,
    "hard_swish": HEAD + HARD_SWISH + CLASSIFIED,
}
