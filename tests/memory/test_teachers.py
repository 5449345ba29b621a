"""A compute_loss() that calls a model which is not trained, beside what its step takes: benchmarks/memory.py."""

from __future__ import annotations

import pytest

from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

DISTILLED = HEAD + """
import tensorflow as tf


def net(width, count):
    x = inputs = keras.Input((64, 64, 3))
    for filters in (width, 2 * width, 4 * width):
        for _ in range(count):
            x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
            x = layers.ReLU()(layers.BatchNormalization()(x))
        x = layers.MaxPooling2D()(x)
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


class Distiller(keras.Model):
    def __init__(self, student, teacher):
        super().__init__()
        self.student, self.teacher = student, teacher
        self.teacher.trainable = False

    def call(self, x):
        return self.student(x)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        told = tf.nn.softmax(self.teacher(x, training=False) / 3.0, axis=1)
        hard = keras.losses.sparse_categorical_crossentropy(y, y_pred, from_logits=True)
        soft = keras.losses.kl_divergence(told, tf.nn.softmax(y_pred / 3.0, axis=1))
        return tf.reduce_mean(0.1 * hard + 0.9 * soft)


model = Distiller(net(16, 2), net(64, 3))
model.compile(keras.optimizers.Adam(), jit_compile=COMPILED)
model.fit(np.zeros((256, 64, 64, 3), "float32"), np.zeros((256,), "int32"), batch_size=16)
"""
HINTED = HEAD + """
import tensorflow as tf

def cnn(w):
    i = keras.Input((48, 48, 3)); x = i
    for f in (w, 2 * w, 4 * w):
        x = layers.SeparableConv2D(f, 3, padding="same", activation="relu6")(x)
        x = layers.AveragePooling2D(2)(layers.BatchNormalization()(x))
    feat = x
    return keras.Model(i, [layers.Dense(10)(layers.GlobalAveragePooling2D()(x)), feat])
class Distiller(keras.Model):
    def __init__(self, student, teacher):
        super().__init__(); self.s, self.t = student, teacher; self.t.trainable = False
        self.proj = keras.Sequential([keras.Input((6, 6, 64)), layers.Conv2D(4 * WIDTH, 1)])
    def call(self, x):
        return self.s(x)[0]
    def train_step(self, data):
        x, y = data
        tl, tf_ = self.t(x, training=False)
        with tf.GradientTape() as tape:
            sl, sf = self.s(x, training=True)
            hard = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=sl))
            soft = tf.reduce_mean(keras.losses.kl_divergence(tf.nn.softmax(tl / 3.0), tf.nn.softmax(sl / 3.0))) * 9.0
            hint = tf.reduce_mean(tf.square(self.proj(sf) - tf_))
            loss = 0.3 * hard + 0.6 * soft + 0.1 * hint
        v = self.s.trainable_variables + self.proj.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, v), v))
        return {"loss": loss}
model = Distiller(cnn(16), cnn(WIDTH))
model.compile(keras.optimizers.Adam(), jit_compile=True)
x, y = np.zeros((64, 48, 48, 3), "float32"), np.zeros((64,), "int32")
model.fit(x, y, batch_size=32)
"""


@pytest.mark.parametrize(("compiled", "measured"), [("False", 59_714_324), ("True", 54_003_530)])
def test_what_a_teacher_gives_has_as_many_samples_as_what_is_trained(compiled: str, measured: int) -> None:
    made = estimate(DISTILLED.replace("COMPILED", compiled))
    assert not made.unknown
    assert made.terms.total == pytest.approx(measured, rel=0.02)


def test_xla_runs_a_wide_teacher_once_the_student_is_through() -> None:
    """Its largest tensor is more than all that a kernel of the student adds, beside which it is there."""
    assert estimate(HINTED.replace("WIDTH", "64")).terms.total == pytest.approx(40_062_448, rel=0.01)
