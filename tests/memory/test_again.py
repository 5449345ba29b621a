"""Models that are followed once more for an estimate: with a batch that is a number, and told that they are trained."""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate, estimates
from tests.oracle.memory_models import HEAD

BLOCK = """
class Windows(layers.Layer):
    def __init__(self, side):
        super().__init__()
        self.side, self.mix, self.back = side, layers.Dense(64, activation="relu"), layers.Dense(32)
    def call(self, x):
        s, side, width = self.side, x.shape[1], x.shape[-1]
        parts = keras.ops.reshape(x, (-1, side // s, s, side // s, s, width))
        parts = keras.ops.reshape(keras.ops.transpose(parts, (0, 1, 3, 2, 4, 5)), (-1, s * s, width))
        parts = self.back(self.mix(parts))
        parts = keras.ops.reshape(parts, (-1, side // s, side // s, s, s, width))
        return keras.ops.reshape(keras.ops.transpose(parts, (0, 1, 3, 2, 4, 5)), (-1, side, side, width))
"""
DEPTH = """
class Windows(layers.Layer):
    def __init__(self, rate):
        super().__init__()
        self.rate, self.mix = rate, layers.Dense(32)
    def call(self, x, training=None):
        y = self.mix(x)
        if training:
            kept = keras.ops.floor(1 - 1 / self.rate + keras.random.uniform((keras.ops.shape(x)[0], 1, 1, 1)))
            return (y / (1 - 1 / self.rate)) * kept
        return y
"""


def made(block: str, outer: str = "{}") -> str:
    inner = outer.format("Windows(4)(x)")
    return f"""{HEAD}{block}
inputs = keras.Input((32, 32, 32))
x = layers.Conv2D(32, 3, padding="same")(inputs)
x = x + {inner}
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))
model.compile("sgd", "mse", jit_compile=False)
model.fit(np.zeros((64, 32, 32, 32), "float32"), np.zeros((64, 10), "float32"), batch_size=16)
"""


@pytest.mark.parametrize(("block", "least"), [(BLOCK, 6), (DEPTH, 3)])
def test_batches_in_other_axes_and_branches_of_training_are_known(block: str, least: int) -> None:
    found = estimate(made(block))
    assert not found.unknown
    feature_map = 16 * 32 * 32 * 32 * 4
    assert least * feature_map < found.terms.total < 2 * least * feature_map


def test_what_is_unknown_all_the_same_is_told() -> None:
    found = estimate(made(BLOCK, "keras.ops.fft2(({0}, {0}))[0] + {0}"))
    assert found.lower_bound


@pytest.mark.parametrize("how", ["True", "False"])
def test_models_within_a_model_that_is_called_twice_are_computed_twice(how: str) -> None:
    """As much as if their layers were the outer model's own, whatever compiles them."""
    text = f"""{HEAD}
def mapped(x):
    return layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(32, 3, padding="same")(x)))

def embedding(nested):
    inputs, x = keras.Input((64, 64, 3)), keras.Input((64, 64, 3))
    made = keras.Model(x, mapped(x))(inputs) if nested else mapped(inputs)
    return keras.Model(inputs, layers.GlobalAveragePooling2D()(made))

for nested in (True, False):
    one, a, b = embedding(nested), keras.Input((64, 64, 3)), keras.Input((64, 64, 3))
    model = keras.Model([a, b], layers.Subtract()([one(a), one(b)]))
    model.compile("sgd", "mse", jit_compile={how})
    images = np.zeros((64, 64, 64, 3), "float32")
    model.fit([images, images], np.zeros((64, 32), "float32"), batch_size=8)
"""
    nested, flat = (one.terms.total for one in estimates(text))
    assert nested == pytest.approx(flat, rel=0.01)
