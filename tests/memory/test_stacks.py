"""Layers that multiply each matrix of a stack with one kernel: its gradient is made for each before they are summed."""

from __future__ import annotations

import pytest

from cudnnlint.values import Stack
from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

SELF_ATTENTION = f"""{HEAD}
inputs = keras.Input((8, 384))
x = layers.MultiHeadAttention(4, 96)(inputs, inputs)
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))
model.compile("sgd", "mse", jit_compile=False)
model.fit(np.zeros((64, 8, 384), "float32"), np.zeros((64, 10), "float32"), batch_size=32)
"""
EINSUMS = f"""{HEAD}
inputs = keras.Input((6, 256))
x = layers.EinsumDense("abc,cd->abd", output_shape=(6, 300), bias_axes="d", activation="relu")(inputs)
x = layers.EinsumDense("...x,xy->...y", output_shape=280, bias_axes="y")(x)
x = layers.EinsumDense("btf,fnh->btnh", output_shape=(6, 7, 40))(x)
x = layers.EinsumDense("abcd,cde->abe", output_shape=(6, 240), bias_axes="e", activation="gelu")(x)
model = keras.Model(inputs, layers.Dense(10)(layers.Flatten()(x)))
model.compile("rmsprop", "mse", jit_compile=False)
x, y = np.zeros((48, 6, 256), "float32"), np.zeros((48, 10), "float32")
model.fit(x, y, batch_size=24)
"""
PIXELS = f"""{HEAD}
inputs = keras.Input((6, 10, 96))
x = layers.LayerNormalization()(inputs)
x = layers.Dense(240, activation="gelu")(x)
x = layers.GlobalAveragePooling2D()(layers.Dense(96)(x))
model = keras.Model(inputs, layers.Dense(10)(x))
model.compile("adam", "mse", jit_compile=False)
model.fit(np.zeros((16, 6, 10, 96), "float32"), np.zeros((16, 10), "float32"), batch_size=8)
"""
TRANSPOSED = f"""{HEAD}
class Mixed(layers.Layer):
    def __init__(self, equation):
        super().__init__()
        self.equation = equation
    def call(self, inputs):
        return keras.ops.einsum(self.equation, *inputs)


i = keras.Input((40, 6, 24))
q, k, v = (layers.Dense(24)(i) for _ in range(3))
scores = Mixed("bnhd,bmhd->bhnm")([q, k])
out = Mixed("bhnm,bmhd->bnhd")([layers.Softmax()(scores), v])
h = layers.Dense(24, activation="tanh")(out)
t = Mixed("bnhd,bmhd->bhmn")([h, q])
u = Mixed("abcd,abed->abce")([layers.Activation("sigmoid")(t), scores])
w = Mixed("abcd,abde->abce")([u, t])
z = Mixed("abcd,acbe->adbe")([w, h])
z = layers.GlobalAveragePooling2D()(z)
model = keras.Model(i, layers.Dense(3)(z))
model.compile("sgd", "mse", jit_compile=False)
model.fit(np.zeros((64, 40, 6, 24), "float32"), np.zeros((64, 3), "float32"), batch_size=32)
"""


def test_kernels_of_an_attention() -> None:
    """TensorFlow 2.21, Keras 3.15: 41,116,992 bytes, of which two gradients of [32, 384, 384] are 37,748,736."""
    assert estimate(SELF_ATTENTION).terms.total == pytest.approx(41_116_992, rel=0.005)


def test_kernels_of_einsums() -> None:
    """60,907,080 bytes, of which the gradient of [300, 280, 24, 6] that `...` makes is 48,384,000."""
    assert estimate(EINSUMS).terms.total == pytest.approx(60_907_080, rel=0.005)


def test_the_first_einsums_of_keras_3_were_those_of_tensorflow() -> None:
    assert estimate(SELF_ATTENTION, stack=Stack(keras=(3, 0, 5))).terms.total < 8_000_000


def test_kernels_of_pixels_before_keras_3_15() -> None:
    """TensorFlow 2.21, Keras 3.10: 7,395,376 bytes, of which the gradient of [8, 6, 240, 96] is 4,423,680."""
    assert estimate(PIXELS, stack=Stack(keras=(3, 10))).terms.total == pytest.approx(7_395_376, rel=0.005)
    assert estimate(PIXELS, stack=Stack(keras=(3, 15))).terms.total < 3_200_000


@pytest.mark.parametrize(("batch", "total"), [(32, 64_776_920), (64, 122_974_424)])
def test_xla_makes_all_of_them_at_once_in_the_end(batch: int, total: int) -> None:
    """Query, key and value become one product: [32, 384, 1152] (the XLA of jax 0.10.2 for a T4)."""
    text = SELF_ATTENTION.replace("=False", "=True").replace("batch_size=32", f"batch_size={batch}")
    assert estimate(text).terms.total == pytest.approx(total, rel=0.03)


def test_xla_keeps_what_they_are_made_of_until_then() -> None:
    """Of four attentions 46,246,408 bytes."""
    block = "x = layers.Add()([x, layers.MultiHeadAttention(4, 64)(x, x)])\n"
    text = f"""{HEAD}
inputs = x = keras.Input((8, 256))
{block * 4}
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))
model.compile("adam", "mse", jit_compile=True)
model.fit(np.zeros((64, 8, 256), "float32"), np.zeros((64, 10), "float32"), batch_size=32)
"""
    assert 46_246_408 <= estimate(text).terms.total <= 1.06 * 46_246_408


OWN = f"""{HEAD}
class Mapped(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], self.units), name="w")

    def call(self, x):
        return keras.ops.einsum("btc,cd->btd", x, self.w)


inputs = keras.Input((7, 400))
x = Mapped(280)(layers.ReLU()(Mapped(300)(inputs)))
model = keras.Model(inputs, layers.Dense(10)(layers.Flatten()(x)))
model.compile("adam", "mse", jit_compile=False)
model.fit(np.zeros((48, 7, 400), "float32"), np.zeros((48, 10), "float32"), batch_size=24)
"""
TIED = f"""{HEAD}
class Tied(layers.Layer):
    def __init__(self, table):
        super().__init__()
        self.table = table

    def call(self, x):
        return keras.ops.matmul(x, keras.ops.transpose(self.table.embeddings))


tokens = keras.Input((9,), dtype="int32")
table = layers.Embedding(6000, 128)
x = layers.GRU(128, return_sequences=True)(table(tokens))
x = layers.Dense(128, activation="gelu")(layers.LayerNormalization()(x))
model = keras.Model(tokens, Tied(table)(x))
model.compile("rmsprop", keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
model.fit(np.zeros((49, 9), "int32"), np.zeros((49, 9), "int32"), batch_size=24)
"""


def test_kernels_of_an_einsum_of_the_programs_own() -> None:
    """15,367,548 bytes; with XLA 18,872,872."""
    assert estimate(OWN).terms.total == pytest.approx(15_367_548, rel=0.001)
    assert estimate(OWN.replace("=False", "=True")).terms.total == pytest.approx(18_872_872, rel=0.05)


def test_a_table_that_makes_logits_too_is_one_variable() -> None:
    """21,047,178 bytes: one gradient, to which that of the rows is added, and one update."""
    assert estimate(TIED).terms.total == pytest.approx(21_047_178, rel=0.005)


def test_einsums_of_keras_keep_what_they_transpose() -> None:
    """15,984,704 bytes: attention by hand is two products of tensors that Keras transposes before."""
    assert estimate(TRANSPOSED).terms.total == pytest.approx(15_984_704, rel=0.001)
    assert estimate(TRANSPOSED, stack=Stack(keras=(3, 0, 5))).terms.total < 15_000_000  # Einsum keeps what it is given
