"""Programs in which a ReLU and a later max-pool share zeros, or the last convolution is transposed along one axis."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD

TRAINED = """
model.compile("adam", LOSS, jit_compile=False)
model.fit(np.zeros((4 * BATCH, *model.input_shape[1:]), "float32"), np.zeros(LABELS, KIND), batch_size=BATCH)
"""
DOWN = HEAD + """
def twice(h, made):
    for layer in made:
        h = layers.BatchNormalization()(layer(layers.Activation("relu")(h)))
    return h

inputs = keras.Input((SIDE, SIDE, 3))
h = layers.BatchNormalization()(layers.Conv2D(32, 3, strides=2, padding="same")(inputs))
before = h = layers.Activation("relu")(h)
for filters in (64, 128, 256):
    h = twice(h, [layers.SeparableConv2D(filters, 3, padding="same") for _ in range(2)])
    h = layers.MaxPooling2D(3, strides=2, padding="same")(h)
    before = h = layers.add([h, layers.Conv2D(filters, 1, strides=2, padding="same")(before)])
"""
UP = """for filters in (256, 128, 64, 32):
    h = twice(h, [layers.Conv2DTranspose(filters, 3, padding="same") for _ in range(2)])
    beside = layers.Conv2D(filters, 1, padding="same")(layers.UpSampling2D()(before))
    before = h = layers.add([layers.UpSampling2D()(h), beside])
model = keras.Model(inputs, layers.Conv2D(3, 3, activation="softmax", padding="same")(h))
"""
CLASSES = """h = layers.Dropout(0.25)(layers.GlobalAveragePooling2D()(h))
model = keras.Model(inputs, layers.Dense(5, activation="softmax")(h))
"""
TRANSPOSED = """for filters in (128, 64, 32, 16):
    h = layers.Conv2DTranspose(filters, 3, strides=2, padding="same", activation="relu")(h)
model = keras.Model(inputs, layers.Conv2D(2, 1, activation="softmax")(h))
"""
ENCODED = HEAD + """
h = inputs = keras.Input((64, 64, 3))
for filters in (32, 64):
    h = layers.Conv2D(filters, 3, padding="same", activation="relu")(h)
    h = layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same")(h))
    h = layers.MaxPooling2D(WINDOW, strides=2, padding="same")(h)
for filters in (64, 32):
    h = layers.Conv2D(filters, 3, padding="same")(layers.UpSampling2D()(h))
    h = layers.ReLU()(layers.BatchNormalization()(h))
model = keras.Model(inputs, layers.Conv2D(3, 3, padding="same", activation="sigmoid")(h))
"""
ANOMALIES = HEAD + """
model = keras.Sequential([
    keras.Input((288, 1)),
    layers.Conv1D(32, 7, padding="same", strides=2, activation="relu"), layers.Dropout(0.2),
    layers.Conv1D(16, 7, padding="same", strides=2, activation="relu"),
    layers.Conv1DTranspose(16, 7, padding="same", strides=2, activation="relu"), layers.Dropout(0.2),
    layers.Conv1DTranspose(32, 7, padding="same", strides=2, activation="relu"), LAST
    layers.Conv1DTranspose(1, 7, padding="same")])
"""
PREACTIVATED = HEAD + """
def block(x, filters, stride):
    h = layers.Activation("relu")(layers.BatchNormalization()(x))
    if stride != 1 or x.shape[-1] != filters:
        x = layers.Conv2D(filters, 1, stride, padding="same")(h)
    h = layers.BatchNormalization()(layers.Conv2D(filters, 3, stride, padding="same")(h))
    h = layers.Dropout(0.2)(layers.Activation("relu")(h))
    return layers.Add()([layers.Conv2D(filters, 3, padding="same")(h), x])

inputs = keras.Input((32, 32, 3))
h = layers.Conv2D(16, 3, padding="same")(inputs)
for filters, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1)):
    h = block(h, filters, stride)
h = layers.AveragePooling2D(8)(layers.Activation("relu")(layers.BatchNormalization()(h)))
model = keras.Model(inputs, layers.Dense(100, activation="softmax")(layers.Flatten()(h)))
"""
CROSSED = '"sparse_categorical_crossentropy"'


def _trained(source: str, batch: int, labels: str, loss: str = CROSSED) -> str:
    text = TRAINED.replace("LOSS", loss).replace("KIND", '"int32"' if loss == CROSSED else '"float32"')
    return (source + text).replace("LABELS", f"(4 * BATCH, {labels})").replace("BATCH", str(batch))


def _encoded(window: int) -> str:
    return _trained(ENCODED.replace("WINDOW", str(window)), 32, "64, 64, 3", '"mse"')


def _anomalies(last: str) -> str:
    return _trained(ANOMALIES.replace("LAST", last), 64, "288, 1", '"mse"')


FRESH: Mapping[str, str] = {
    "pets": _trained(DOWN.replace("SIDE", "160") + UP, 8, "160, 160"),
    "xception": _trained(DOWN.replace("SIDE", "96") + CLASSES, 16, ""),
    "xception_decoded": _trained(DOWN.replace("SIDE", "96") + TRANSPOSED, 16, "96, 96"),
    "encoded": _encoded(2), "encoded_overlapping": _encoded(3),
    "anomalies": _anomalies(""), "anomalies_dropped": _anomalies("layers.Dropout(0.2),"),
    "preactivated": _trained(PREACTIVATED, 32, "")}
