"""The memory of kernels that lies idle meanwhile, and the stem of a ResNet: beside what XLA's CUDA compiler assigns.

Measured with jax 0.10.2 for a T4, from the graph that TensorFlow 2.21 makes of Keras' step.
"""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

UNET = HEAD + """
def double(x, f):
    for _ in range(2):
        x = layers.Conv2D(f, 3, padding="same")(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
    return x


inputs = keras.Input((128, 128, 1))
skips, x = [], inputs
for f in (32, 64, 128, 256):
    x = double(x, f)
    skips.append(x)
    x = layers.Dropout(0.1)(layers.MaxPooling2D()(x))
x = double(x, 512)
for f, skip in zip((256, 128, 64, 32), reversed(skips)):
    x = layers.concatenate([layers.Conv2DTranspose(f, 3, strides=2, padding="same")(x), skip])
    x = double(layers.Dropout(0.1)(x), f)
model = keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(x))


def dice_loss(y_true, y_pred):
    inter = keras.ops.sum(y_true * y_pred, axis=[1, 2, 3])
    total = keras.ops.sum(y_true, axis=[1, 2, 3]) + keras.ops.sum(y_pred, axis=[1, 2, 3])
    return 1 - keras.ops.mean((2 * inter + 1) / (total + 1))


model.compile("adam", dice_loss, metrics=["accuracy"])
model.fit(np.zeros((128, 128, 128, 1), "float32"), np.zeros((128, 128, 128, 1), "float32"), batch_size=4)
"""
RESNET = HEAD + """
def basic(x, f, stride=1, project=False):
    y = layers.Conv2D(f, 3, strides=stride, padding="same", use_bias=False)(x)
    y = layers.ReLU()(layers.BatchNormalization()(y))
    y = layers.BatchNormalization()(layers.Conv2D(f, 3, padding="same", use_bias=False)(y))
    if project:
        x = layers.BatchNormalization()(layers.Conv2D(f, 1, strides=stride, use_bias=False)(x))
    return layers.ReLU()(layers.Add()([y, x]))


inputs = keras.Input((160, 160, 3))
x = layers.Conv2D(64, 7, strides=2, use_bias=False)(layers.ZeroPadding2D(3)(inputs))
x = layers.ZeroPadding2D(1)(layers.ReLU()(layers.BatchNormalization()(x)))
x = layers.MaxPooling2D(3, strides=2)(x)
for i, f in enumerate((64, 128, 256, 512)):
    x = basic(basic(x, f, 1 if i == 0 else 2, i > 0), f)
model = keras.Model(inputs, layers.Dense(200)(layers.GlobalAveragePooling2D()(x)))
model.compile(keras.optimizers.SGD(0.1, momentum=0.9), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
              metrics=["accuracy"])
model.fit(np.zeros((256, 160, 160, 3), "float32"), np.zeros((256,), "int32"), batch_size=16)
"""


CHAIN = HEAD + """
inputs = x = keras.Input((SIDE, SIDE, 512))
for _ in range(LAYERS):
    x = layers.Conv2D(512, KERNEL, padding="same", activation="relu", use_bias=False)(x)
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))
model.compile("sgd", "mse")
model.fit(np.zeros((8, SIDE, SIDE, 512), "float32"), np.zeros((8, 10), "float32"), batch_size=1)
"""


@pytest.mark.parametrize(("program", "measured"), [(UNET, 281_724_820), (RESNET, 268_353_288)])
def test_what_fits_lies_in_the_memory_of_kernels(program: str, measured: int) -> None:
    made = estimate(program)
    assert made.regime == "XLA" and not made.unknown
    assert made.terms.total == pytest.approx(measured, rel=0.07)


def added(kernel: int, side: int) -> float:
    """What three more layers take besides their kernels and what is kept of these, in kernels."""
    text = CHAIN.replace("KERNEL", str(kernel)).replace("SIDE", str(side))
    few, many = (estimate(text.replace("LAYERS", str(layers))) for layers in (3, 6))
    more, fewer = (one.terms.total - one.terms.weights - one.terms.optimizer for one in (many, few))
    return (more - fewer) / (4 * kernel ** 2 * 512 ** 2)


def test_the_copy_of_a_kernel_lies_in_the_memory_of_the_one_before() -> None:
    assert added(3, 8) < 0.2


@pytest.mark.parametrize(("kernel", "side"), [(1, 16), (3, 3)])
def test_a_kernel_that_is_read_as_it_is_too_lends_nothing(kernel: int, side: int) -> None:
    """As one of one place is, and one that is as large as what it is moved over."""
    assert added(kernel, side) > 3
