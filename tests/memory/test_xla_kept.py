"""What XLA keeps of convolutions that pad one side, and of tables: programs beside what its CUDA compiler assigns them.

Measured with jax 0.10.2 for a T4, from the graph that TensorFlow 2.21 makes of Keras' step.
"""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

EXCITED = HEAD + """
keras.mixed_precision.set_global_policy("mixed_float16")


def normed(x, filters, window, strides=1):
    x = layers.Conv2D(filters, window, strides=strides, padding="same", use_bias=False)(x)
    return layers.BatchNormalization()(x)


def excited(x, filters):
    s = layers.Dense(filters // 8, activation="swish")(layers.GlobalAveragePooling2D(keepdims=True)(x))
    return layers.Multiply()([x, layers.Dense(filters, activation="sigmoid")(s)])


inputs = keras.Input((96, 96, 3))
x = layers.Activation("swish")(normed(inputs, 32, 3, 2))
for filters, strides in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1)):
    y = layers.Activation("swish")(normed(x, filters, 3, strides))
    y = excited(normed(y, filters, 3), filters)
    if strides != 1:
        x = normed(x, filters, 1, strides)
    x = layers.Activation("swish")(layers.Add()([x, y]))
outputs = layers.Dense(20, activation="softmax", dtype="float32")(layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, outputs)
model.compile(keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True), "sparse_categorical_crossentropy")
model.fit(np.zeros((128, 96, 96, 3), "float32"), np.zeros((128,), "int32"), batch_size=32)
"""
FILTERING = HEAD + """
user, item = keras.Input((1,), dtype="int32"), keras.Input((1,), dtype="int32")


def table(count, width, x):
    return layers.Flatten()(layers.Embedding(count, width)(x))


product = layers.Multiply()([table(60000, 16, user), table(30000, 16, item)])
x = layers.Concatenate()([table(60000, 32, user), table(30000, 32, item)])
for units in (128, 64, 32):
    x = layers.Dropout(0.2)(layers.Dense(units, activation="relu")(x))
model = keras.Model([user, item], layers.Dense(1, activation="sigmoid")(layers.Concatenate()([product, x])))
model.compile("adam", "binary_crossentropy")
ids = np.zeros((8192, 1), "int32")
model.fit([ids, ids], np.zeros((8192, 1), "float32"), batch_size=2048)
"""
TABLE = HEAD + """
ids = keras.Input((8,), dtype="int32")
x = layers.Embedding(200_000, 16)(ids)
BODY
model = keras.Model(ids, layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))
model.compile("sgd", "mse")
model.fit(np.zeros((64, 8), "int32"), np.zeros((64, 1), "float32"), batch_size=16)
"""


@pytest.mark.parametrize(("text", "measured"), [(EXCITED, 87_197_440), (FILTERING, 67_982_776)])
def test_what_xla_assigns_to_programs_of_other_kinds(text: str, measured: int) -> None:
    made = estimate(text)
    assert made.regime == "XLA" and not made.unknown
    assert made.terms.total == pytest.approx(measured, rel=0.03)


def test_the_zeros_of_a_table_are_there_early_with_attention_only() -> None:
    size = 200_000 * 16 * 4
    plain = estimate(TABLE.replace("BODY", ""))
    attending = estimate(TABLE.replace("BODY", "x = x + layers.MultiHeadAttention(2, 8)(x, x)"))
    assert size <= plain.terms.total - plain.terms.weights < 1.5 * size  # the gradient's rows are added in place
    assert attending.terms.activations > size > plain.terms.activations
