"""Programs whose max-pools take what XLA computes again, or whose zeros others share."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_models import HEAD

BEFORE = HEAD + """
model = keras.Sequential([keras.Input((64, 64, 3))])
for filters in (32, 64, 96, 128):
    model.add(layers.Conv2D(filters, 3, padding="same"))
    before(model)
    model.add(layers.MaxPooling2D())
model.add(layers.GlobalAveragePooling2D())
model.add(layers.Dense(10))
model.compile("adam", "mse")
model.fit(np.zeros((64, 64, 64, 3), "float32"), np.zeros((64, 10), "float32"), batch_size=64)
"""
OVERLAPPING = HEAD + """
def convolved(x, filters, window):
    x = layers.Conv2D(filters, window, padding="same", use_bias=False)(x)
    return layers.ReLU()(layers.BatchNormalization()(x))
inputs = keras.Input((64, 64, 3))
x = layers.MaxPooling2D(3, 2, padding="same")(convolved(inputs, 32, 5))
for filters, window in ((32, 1), (128, 3), (32, 1), (128, 3)):
    x = convolved(x, filters, window)
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))
model.compile("adam", "mse")
model.fit(np.zeros((64, 64, 64, 3), "float32"), np.zeros((64, 10), "float32"), batch_size=64)
"""


def _before(*made: str) -> str:
    return BEFORE.replace("    before(model)\n", "".join(f"    model.add(layers.{one})\n" for one in made))


NORMED = "BatchNormalization()"
POOLS: Mapping[str, str] = {
    "pooled_normed": _before(NORMED), "pooled_swish": _before('Activation("swish")', NORMED),
    "pooled_leaky": _before("LeakyReLU(0.1)", NORMED), "pooled_elu": _before('Activation("elu")', NORMED),
    "pooled_selu": _before('Activation("selu")'), "pooled_overlapping": OVERLAPPING}
