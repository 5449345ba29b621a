"""Programs along one axis, of whose exact GELUs XLA keeps more than of those in two dimensions."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD

GELU = HEAD + """
m = keras.Sequential([keras.Input((1024, 3))])
for f in (48, 64, 96):
    m.add(layers.Conv1D(f, 3, padding="same", activation="gelu"))
m.add(layers.GlobalAveragePooling1D())
m.add(layers.Dense(10))
m.compile("adam", "mse")
m.fit(np.zeros((64, 1024, 3), "float32"), np.zeros((64, 10), "float32"), batch_size=64)
"""
DILATED = HEAD + """
inputs = keras.Input((512, 16))
x = layers.Conv1D(48, 1)(inputs)
for rate in (1, 2, 4, 8):
    y = layers.Conv1D(96, 3, padding="same", dilation_rate=rate, activation="gelu")(layers.LayerNormalization()(x))
    x = layers.add([x, layers.Conv1D(48, 1)(y)])
model = keras.Model(inputs, layers.Dense(4)(layers.GlobalAveragePooling1D()(x)))
model.compile("adam", "mse")
model.fit(np.zeros((128, 512, 16), "float32"), np.zeros((128, 4), "float32"), batch_size=64)
"""
GELUS: Mapping[str, str] = {"gelu_along": GELU, "gelu_dilated": DILATED}
