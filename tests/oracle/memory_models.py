"""Programs whose step is measured and estimated: sources in which BATCH and OPTIMIZER are filled in.

Each ends with its call of fit(), which the measurement leaves out.
"""

from __future__ import annotations

HEAD = """import numpy as np
import keras
from keras import layers

"""
CLASSIFIED = """
x, y = np.zeros((4 * BATCH, *model.input_shape[1:]), "float32"), np.zeros((4 * BATCH,), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
VGG = """model = keras.Sequential([keras.Input((64, 64, 3))])
for filters, convolutions in ((32, 2), (64, 2), (128, 3)):
    for _ in range(convolutions):
        model.add(layers.Conv2D(filters, 3, padding="same", activation="relu"))
    model.add(layers.MaxPooling2D())
model.add(layers.Flatten())
model.add(layers.Dense(512, activation="relu"))
model.add(layers.Dropout(0.5))
model.add(layers.Dense(10, activation="softmax"))
"""
RESNET = """def block(x, filters, strides):
    short = x
    x = layers.Conv2D(filters, 3, strides, padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.BatchNormalization()(x))
    x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    if strides != 1:
        short = layers.BatchNormalization()(layers.Conv2D(filters, 1, strides, use_bias=False)(short))
    return layers.ReLU()(layers.Add()([x, short]))


inputs = keras.Input((64, 64, 3))
x = layers.Conv2D(32, 7, 2, padding="same")(inputs)
x = layers.Activation("relu")(layers.BatchNormalization()(x))
x = layers.MaxPooling2D(3, 2, padding="same")(x)
for filters, strides in ((32, 1), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1)):
    x = block(x, filters, strides)
outputs = layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, outputs)
"""
MOBILENET = """def separable(x, filters, strides):
    x = layers.DepthwiseConv2D(3, strides, padding="same", use_bias=False)(x)
    x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False)(x)
    return layers.ReLU(6.0)(layers.BatchNormalization()(x))


inputs = keras.Input((96, 96, 3))
x = layers.Conv2D(16, 3, 2, padding="same", use_bias=False)(inputs)
x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
for filters, strides in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1)):
    x = separable(x, filters, strides)
outputs = layers.Dense(10, activation="softmax")(layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x)))
model = keras.Model(inputs, outputs)
"""
UNET = """def pair(x, filters):
    x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return layers.Conv2D(filters, 3, padding="same", activation="relu")(x)


inputs = x = keras.Input((64, 64, 3))
skips = []
for filters in (16, 32, 64):
    x = pair(x, filters)
    skips.append(x)
    x = layers.MaxPooling2D()(x)
x = pair(x, 128)
for filters, skip in zip((64, 32, 16), reversed(skips)):
    x = layers.Conv2DTranspose(filters, 2, strides=2, padding="same")(x)
    x = pair(layers.Concatenate()([x, skip]), filters)
outputs = layers.Conv2D(1, 1, activation="sigmoid")(x)
model = keras.Model(inputs, outputs)
x, y = np.zeros((4 * BATCH, 64, 64, 3), "float32"), np.zeros((4 * BATCH, 64, 64, 1), "float32")
model.compile(OPTIMIZER, "binary_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
PLAIN = """model = keras.Sequential([
    keras.Input((48, 48, 3)),
    layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
    layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(),
    layers.Flatten(), layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax"),
])
"""
NORMED = """model = keras.Sequential([
    keras.Input((48, 48, 3)),
    layers.Conv2D(32, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
    layers.Conv2D(64, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
    layers.Conv2D(128, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(),
    layers.GlobalAveragePooling2D(), layers.Dropout(0.5), layers.Dense(10, activation="softmax"),
])
"""
TRANSFORMER = """inputs = keras.Input((64,), dtype="int32")
x = layers.Embedding(5000, 128)(inputs)
for _ in range(2):
    attended = layers.MultiHeadAttention(4, 32, dropout=0.1)(x, x)
    x = layers.LayerNormalization()(x + attended)
    inner = layers.Dense(128)(layers.Dense(512, activation="relu")(x))
    x = layers.LayerNormalization()(x + layers.Dropout(0.1)(inner))
outputs = layers.Dense(2, activation="softmax")(layers.GlobalAveragePooling1D()(x))
model = keras.Model(inputs, outputs)
x, y = np.zeros((4 * BATCH, 64), "int32"), np.zeros((4 * BATCH,), "int32")
model.compile(OPTIMIZER, "sparse_categorical_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
LSTM = """model = keras.Sequential([
    keras.Input((60,), dtype="int32"), layers.Embedding(5000, 64), layers.LSTM(64, return_sequences=True),
    layers.LSTM(32), layers.Dense(1, activation="sigmoid"),
])
x, y = np.zeros((4 * BATCH, 60), "int32"), np.zeros((4 * BATCH, 1), "float32")
model.compile(OPTIMIZER, "binary_crossentropy", jit_compile=False)
model.fit(x, y, batch_size=BATCH)
"""
VOLUMES = """model = keras.Sequential([
    keras.Input((16, 32, 32, 1)),
    layers.Conv3D(16, 3, activation="relu"), layers.MaxPooling3D(), layers.BatchNormalization(),
    layers.Conv3D(32, 3, activation="relu"), layers.MaxPooling3D(), layers.BatchNormalization(),
    layers.GlobalAveragePooling3D(), layers.Dense(64, activation="relu"), layers.Dense(10, activation="softmax"),
])
"""
DENSE = """inputs = keras.Input((32, 32, 3))
x = layers.Conv2D(32, 3, padding="same")(inputs)
for _ in range(6):
    y = layers.Activation("relu")(layers.BatchNormalization()(x))
    x = layers.Concatenate()([x, layers.Conv2D(16, 3, padding="same", use_bias=False)(y)])
outputs = layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, outputs)
"""
EXCITED = """inputs = keras.Input((64, 64, 3))
x = layers.Conv2D(32, 3, 2, padding="same", use_bias=False)(inputs)
x = layers.Activation("swish")(layers.BatchNormalization()(x))
for filters in (32, 64):
    y = layers.Conv2D(4 * filters, 1, use_bias=False)(x)
    y = layers.Activation("swish")(layers.BatchNormalization()(y))
    y = layers.DepthwiseConv2D(5, 2, padding="same", use_bias=False)(y)
    y = layers.Activation("swish")(layers.BatchNormalization()(y))
    s = layers.Reshape((1, 1, 4 * filters))(layers.GlobalAveragePooling2D()(y))
    s = layers.Conv2D(4 * filters, 1, activation="sigmoid")(layers.Conv2D(8, 1, activation="swish")(s))
    x = layers.BatchNormalization()(layers.Conv2D(filters, 1, use_bias=False)(layers.multiply([y, s])))
outputs = layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, outputs)
"""
MLP = """model = keras.Sequential([keras.Input((784,)), layers.Dense(1024, activation="relu"),
    layers.Dense(1024, activation="relu"), layers.Dense(10, activation="softmax")])
"""
MODELS: dict[str, str] = {
    **{name: HEAD + text + CLASSIFIED for name, text in (
        ("vgg", VGG), ("resnet", RESNET), ("mobilenet", MOBILENET), ("plain", PLAIN), ("normed", NORMED),
        ("volumes", VOLUMES), ("dense", DENSE), ("excited", EXCITED), ("mlp", MLP))},
    **{name: HEAD + text for name, text in (("unet", UNET), ("transformer", TRANSFORMER), ("lstm", LSTM))},
}


def program(name: str, batch: int, optimizer: str, library: str = "keras") -> str:
    """The source with its numbers filled in, for Keras 3 or, with `library="tf_keras"`, for Keras 2."""
    return filled(MODELS[name], batch, optimizer, library)


def filled(source: str, batch: int, optimizer: str, library: str = "keras") -> str:
    """`optimizer` is a name, or an expression: "keras.optimizers.SGD(0.1)"."""
    given = optimizer if "(" in optimizer else f'"{optimizer}"'
    text = source.replace("BATCH", str(batch)).replace("OPTIMIZER", given)
    if library == "keras":
        return text
    return text.replace("import keras\n", f"import {library} as keras\n").replace("from keras", f"from {library}")
