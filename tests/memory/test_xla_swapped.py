"""What XLA pads of kernels that are larger than what comes back, and are taken for what is convolved."""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

FAR = f"""{HEAD}
model = keras.Sequential([keras.Input((28, 28, 1)), layers.Conv2D(48, 9, activation="relu"),
                          layers.Conv2D(48, 9, strides=2, activation="relu"), layers.Flatten(), layers.Dense(10)])
model.compile("adam", "mse")
model.fit(np.zeros((16, 28, 28, 1), "float32"), np.zeros((16, 10), "float32"), batch_size=8)
"""
JUDGE = f"""{HEAD}
model = keras.Sequential([keras.Input((32, 32, 3))])
for filters in (32, 96, 192):
    model.add(layers.Conv2D(filters, 5, strides=2, padding="same"))
    model.add(layers.LeakyReLU(negative_slope=0.2))
model.add(layers.Flatten())
model.add(layers.Dense(1))
model.compile("adam", "mse")
model.fit(np.zeros((16, 32, 32, 3), "float32"), np.zeros((16, 1), "float32"), batch_size=8)
"""
DRAWER = f"""{HEAD}
model = keras.Sequential([
    keras.Input((64,)), layers.Dense(4 * 4 * 192, activation="relu"), layers.Reshape((4, 4, 192)),
    layers.Conv2DTranspose(96, 5, strides=2, padding="same", activation="relu"),
    layers.Conv2DTranspose(48, 5, strides=2, padding="same", activation="relu"),
    layers.Conv2D(3, 5, padding="same")])
model.compile("adam", "mse")
model.fit(np.zeros((16, 64), "float32"), np.zeros((16, 16, 16, 3), "float32"), batch_size=8)
"""


@pytest.mark.parametrize(("text", "total", "within"), [
    (FAR, 12_381_272, 0.06), (JUDGE, 24_268_492, 0.01), (DRAWER, 26_972_596, 0.03)])
def test_a_kernel_that_is_larger_than_what_comes_back_is_padded(text: str, total: int, within: float) -> None:
    """By the XLA of jax 0.10.2 for a T4."""
    assert estimate(text).terms.total == pytest.approx(total, rel=within)
