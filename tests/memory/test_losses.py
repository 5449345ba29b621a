"""Losses that a program writes itself are followed as what the library has."""

from __future__ import annotations

import pytest

from cudnnlint.memory.estimate import Estimate
from tests.memory.test_estimates import estimate, estimates
from tests.oracle.memory_models import HEAD

FITTED = f"""{HEAD}
import tensorflow as tf

inputs = x = keras.Input((64, 64, 3))
for _ in range(2):
    x = layers.Conv2D(16, 3, padding="same", activation="relu")(x)
model = keras.Model(inputs, layers.Conv2D(8, 1)(x))


LOSS


model.compile("adam", loss=GIVEN, jit_compile=False)
model.fit(np.zeros((32, 64, 64, 3), "float32"), np.zeros((32, 64, 64, 8), "float32"), batch_size=8)
"""
FUNCTION = """def own(y_true, y_pred):
    return tf.reduce_mean(tf.square(y_pred - y_true), axis=-1)
"""
CLASS = """class Own(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.reduce_mean(tf.square(y_pred - y_true), axis=-1)
"""
FLAT = """def own(y_true, y_pred):
    a, b = tf.reshape(y_true, [-1]), tf.reshape(y_pred, [-1])
    return 1 - 2 * tf.reduce_sum(a * b) / (tf.reduce_sum(a) + tf.reduce_sum(b))
"""
COMPUTED = """class Model(keras.Model):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return tf.reduce_mean(tf.square(y_pred - y))


model = Model(inputs, model.output)
"""


def made(loss: str, given: str) -> Estimate:
    return estimate(FITTED.replace("LOSS", loss).replace("GIVEN", given))


@pytest.mark.parametrize(("loss", "given"), [(FUNCTION, "own"), (CLASS, "Own()"), (COMPUTED, '"mae"')])
def test_what_a_program_squares_takes_what_mse_takes(loss: str, given: str) -> None:
    one, other = made(loss, given), made("", '"mse"')
    assert not one.unknown
    assert one.terms.total == pytest.approx(other.terms.total, rel=0.02)


def test_a_loss_over_all_samples_at_once_grows_with_the_batch() -> None:
    text = FITTED.replace("LOSS", FLAT).replace("GIVEN", "own")
    small, large = (estimate(text, batch) for batch in (8, 16))
    assert not small.unknown
    assert large.terms.activations == pytest.approx(2 * small.terms.activations, rel=0.01)


def test_a_loss_that_raises_leaves_a_lower_bound() -> None:
    found = made("def own(y_true, y_pred):\n    raise ValueError(1)\n", "own")
    assert "what the loss keeps" in found.unknown


TAUGHT = f"""{HEAD}
import tensorflow as tf


def net(width):
    return keras.Sequential([keras.Input((32, 32, 3)), layers.Conv2D(width, 3, padding="same"), layers.Flatten(),
                             layers.Dense(4)])


teacher, student, optimizer = net(256), net(8), keras.optimizers.SGD()


@tf.function
def step(x):
    told = teacher(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(student(x) - told))
    optimizer.apply_gradients(zip(tape.gradient(loss, student.trainable_variables), student.trainable_variables))


for x in tf.data.Dataset.from_tensor_slices(np.zeros((64, 32, 32, 3), "float32")).batch(16, drop_remainder=True):
    step(x)
"""


def test_a_model_that_makes_the_targets_is_at_hand() -> None:
    of_teacher, of_student = ((27 + 1) * width + (32 * 32 * width + 1) * 4 for width in (256, 8))
    assert estimate(TAUGHT).terms.weights == 4 * (of_teacher + of_student)


def test_gradients_asked_of_two_models_at_once_are_one_way_back() -> None:
    text = TAUGHT.replace("    told = teacher(x)\n", "").replace("- told", "- teacher(x)")
    both = text.replace("student.trainable_variables", "(student.trainable_variables + teacher.trainable_variables)")
    (one,) = estimates(both)
    kept = 16 * 32 * 32 * 256 * 4
    assert not one.unknown
    assert kept < one.terms.activations + one.terms.transient < 2.2 * kept
