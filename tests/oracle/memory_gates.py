"""Programs that share padded copies, add up many parts, drop in half precision, or repeat along two axes."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD
from tests.oracle.memory_users import MIXED

SKIPPING = HEAD + """
x, skips = layers.Conv1D(16, 2, padding="causal")(inputs := keras.Input((1024, 1))), []
for rate in (1, 2, 4, 8, 16) * 2:
    a = layers.Conv1D(16, 2, padding="causal", dilation_rate=rate, activation="tanh")(x)
    b = layers.Conv1D(16, 2, padding="causal", dilation_rate=rate, activation="sigmoid")(x)
    skips.append(layers.Conv1D(16, 1)(layers.Multiply()([a, b])))
    x = layers.Add()([x, skips[-1]])
x = layers.Conv1D(32, 1, activation="relu")(layers.Activation("relu")(layers.Add()(skips)))
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling1D()(x)))
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((64, 1024, 1), "float32"), np.zeros(64, "int32"), batch_size=32)
"""
MIXER = MIXED + """
def mixed(x, hidden, width):
    x = layers.Dropout(0.1)(layers.Activation(keras.activations.gelu)(layers.Dense(hidden)(x)))
    return layers.Dense(width)(x)
inputs = keras.Input((128, 128, 3))
x = layers.Reshape((-1, 96))(layers.Conv2D(96, 8, strides=8)(layers.Rescaling(1 / 255)(inputs)))
for _ in range(3):
    y = layers.Permute((2, 1))(layers.LayerNormalization()(x))
    x = x + layers.Permute((2, 1))(mixed(y, 128, 256))
    x = x + mixed(layers.LayerNormalization()(x), 384, 96)
x = layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x))
model = keras.Model(inputs, layers.Dense(50, activation="softmax", dtype="float32")(x))
model.compile("adam", "categorical_crossentropy")
model.fit(np.zeros((64, 128, 128, 3), "float32"), np.zeros((64, 50), "float32"), batch_size=64)
"""
SHARED: Mapping[str, str] = {"skipping": SKIPPING, "mixer": MIXER}
REPEATED = HEAD + """
encoder = keras.Sequential([
    keras.Input((64, 64, 1)),
    layers.Conv2D(32, 3, activation="selu", padding="same"), layers.MaxPool2D(2),
    layers.Conv2D(64, 3, activation="selu", padding="same"), layers.MaxPool2D(2)])
decoder = keras.Sequential([
    keras.Input((16, 16, 64)),
    layers.Conv2D(32, 3, activation="elu", padding="same"), layers.UpSampling2D((2, 2)),
    layers.Conv2D(16, 3, activation="elu", padding="same"), layers.UpSampling2D((2, 2)),
    layers.Conv2D(1, 3, activation="sigmoid", padding="same")])
model = keras.Sequential([keras.Input((64, 64, 1)), encoder, decoder])
model.compile(OPTIMIZER, "mse", jit_compile=False)
x = y = np.zeros((4 * BATCH, 64, 64, 1), "float32")
model.fit(x, y, batch_size=BATCH)
"""
ALONG: Mapping[str, str] = {"repeated_twice": REPEATED}
