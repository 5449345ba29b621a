"""Loops of the program's own are told like fit(): which model, on what batch, under which loss and optimizer."""

from __future__ import annotations

from typing import Any

import pytest

from cudnnlint.events import TrainingStarted, tensors
from cudnnlint.values import BATCH, Stack, Unknown
from tests.interpret import events_of, of_kind

HEAD = """
import keras
import numpy as np
import tensorflow as tf
from keras import layers

model = keras.Sequential([keras.Input((8,)), layers.Dense(4)])
optimizer = keras.optimizers.SGD()
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
data = tf.data.Dataset.from_tensor_slices((np.zeros((60, 8), "float32"), np.zeros((60,), "int64"))).batch(20)
"""


def started(text: str, stack: Stack | None = None) -> list[TrainingStarted]:
    return of_kind(events_of(HEAD + text, stack), TrainingStarted)


def shapes(structure: Any) -> list[str]:
    return [str(tensor) for tensor in tensors(structure)]


LOOP = """
for x, y in data:
    with tf.GradientTape() as tape:
        pred = model(x, training=True)
        loss = loss_fn(y, pred)
    gradients = tape.gradient(loss, model.trainable_variables)
    {apply}
"""
APPLIED = (
    "optimizer.apply_gradients(zip(gradients, model.trainable_variables))",
    "optimizer.apply_gradients([(g, v) for g, v in zip(gradients, model.trainable_variables)])",
    "optimizer.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in zip(gradients, model.trainable_variables)])",
    "optimizer.apply_gradients(zip(tf.clip_by_global_norm(gradients, 5.0)[0], model.trainable_variables))",
    "optimizer.apply(gradients, model.trainable_variables)",
    "pairs = zip(gradients, model.trainable_variables)\n    optimizer.apply_gradients(grads_and_vars=pairs)",
    "optimizer.apply_gradients(zip([g * 0.5 for g in gradients], model.trainable_weights))",
)


@pytest.mark.parametrize("apply", APPLIED)
def test_a_loop_is_told_once_with_all_that_is_known(apply: str) -> None:
    (event,) = started(LOOP.format(apply=apply))
    assert event.method == "GradientTape"
    assert shapes(event.data.x) == ["float32[20, 8]"]
    assert shapes(event.data.y) == ["int64[20]"]
    assert shapes(event.model.outputs) == ["float32[20, 4]"]
    assert event.batch_size == 20
    assert event.model.losses.name == "sparse_categorical_crossentropy"
    assert event.model.compiled["optimizer"].path == "keras.optimizers.SGD"
    assert (event.model.policy.compute, event.model.replicas) == ("float32", 1)


def test_gradients_that_nobody_applies_train_nothing() -> None:
    assert not started("""
        image = tf.Variable(tf.zeros((1, 8)))
        with tf.GradientTape() as tape:
            tape.watch(image)
            loss = tf.reduce_sum(model(image))
        step = tape.gradient(loss, image)
        image.assign_add(step)
    """.replace("\n        ", "\n"))


def test_gradients_are_accumulated_before_they_are_applied() -> None:
    (event,) = started("""
total = [tf.zeros_like(v) for v in model.trainable_variables]
for x, y in data:
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True)) / 4
    gradients = tape.gradient(loss, model.trainable_variables)
    total = [a + g for a, g in zip(total, gradients)]
optimizer.apply_gradients(zip(total, model.trainable_variables))
""")
    assert shapes(event.data.x) == ["float32[20, 8]"]


@pytest.mark.parametrize("pairs", ["mystery.pairs()", "zip(mystery.clipped(), mystery.variables(model))"])
def test_gradients_that_were_applied_are_not_taken_for_those_that_nobody_knows(pairs: str) -> None:
    events = events_of(f"""
        import mystery
        import tensorflow as tf

        model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
        optimizer, other = tf.keras.optimizers.SGD(), tf.keras.optimizers.SGD()
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(tf.zeros((8, 4)), training=True))
        gradients = tape.gradient(loss, mystery.variables(model))
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        other.apply_gradients({pairs})
    """)
    assert len(of_kind(events, TrainingStarted)) == 1


def test_each_model_is_trained_by_its_own_tape_and_optimizer() -> None:
    text = """
critic = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
other = keras.optimizers.Adam()
def step(x):
    with tf.GradientTape() as one, tf.GradientTape() as two:
        made = model(x)
        score = critic(made)
        a, b = tf.reduce_mean(score), -tf.reduce_mean(score)
    first, second = one.gradient(a, model.trainable_variables), two.gradient(b, critic.trainable_variables)
    optimizer.apply_gradients(zip(first, model.trainable_variables))
    other.apply_gradients(zip(second, critic.trainable_variables))
for x, y in data:
    step(x)
"""
    one, two = started(text)
    assert (shapes(one.data.x), shapes(two.data.x)) == (["float32[20, 8]"], ["float32[20, 4]"])
    assert [event.model.compiled["optimizer"].path for event in (one, two)] == [
        "keras.optimizers.SGD", "keras.optimizers.Adam"]


def test_minimize_runs_the_loss_that_it_is_given() -> None:
    (event,) = started("""
x, y = tf.zeros((5, 8)), tf.zeros((5,), "int32")
optimizer.minimize(lambda: loss_fn(y, model(x)), model.trainable_variables)
""")
    assert (event.batch_size, shapes(event.data.y)) == (5, ["int32[5]"])


STEP = """
class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(1)
    def call(self, x):
        return self.dense(x)
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}
net = Net()
net.compile("adam", "mse", jit_compile=True, steps_per_execution=4)
"""


def test_fit_follows_the_step_of_the_model() -> None:
    step, fit = started(STEP + "net.fit(np.zeros((100, 8)), np.zeros((100, 1)), batch_size=10)")
    assert (step.method, fit.method) == ("train_step", "fit")
    assert shapes(step.data.x) == ["float32[10, 8]"] and shapes(step.model.outputs) == ["float32[10, 1]"]
    assert step.model.compiled["optimizer"].path == "keras.optimizers.Adam"
    assert (step.model.compiled["jit_compile"], step.model.compiled["steps_per_execution"]) == (True, 4)
    assert shapes(fit.model.outputs) == ["float32[10, 1]"]


@pytest.mark.parametrize(("keras", "dtype"), [((3, 15), "float64"), ((2, 15), "float32")])
def test_what_a_generator_yields_is_made_floatx_by_keras_2_only(keras: tuple[int, int], dtype: str) -> None:
    """Seen with Keras 3.15 and tf_keras 2.21 in a train_step that prints what it is given."""
    events = started(STEP.replace("self(x,", "self(tf.cast(x, 'float32'),") + """
def batches():
    while True:
        yield np.zeros((4, 8)), np.zeros((4, 1))
net.fit(batches(), steps_per_epoch=3)
""", Stack(keras=keras))
    assert shapes(events[-1].data.y) == [f"{dtype}[4, 1]"]


REPLICAS = """
strategy = tf.distribute.MirroredStrategy({devices})
with strategy.scope():
    model = keras.Sequential([keras.Input((8,)), layers.Dense(4)])
def step(batch):
    x, y = batch
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
for batch in strategy.experimental_distribute_dataset(data):
    strategy.run(step, args=(batch,))
"""


def test_each_of_several_replicas_gets_its_share_of_a_batch() -> None:
    (event,) = started(REPLICAS.format(devices='["GPU:0", "GPU:1"]'))
    assert (event.model.replicas, event.batch_size) == (2, 10)
    (event,) = started(REPLICAS.format(devices='["GPU:0", "GPU:1", "GPU:2"]'))
    assert (event.model.replicas, event.batch_size) == (3, BATCH)


def test_an_unknown_number_of_replicas_leaves_the_batch_unknown() -> None:
    (event,) = started(REPLICAS.format(devices=""))
    assert isinstance(event.model.replicas, Unknown) and isinstance(event.batch_size, Unknown)


def test_a_number_of_replicas_may_rest_on_a_default() -> None:
    text = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--gpus', default=2, type=int)\n" \
        "devices = ['GPU:0']\nif p.parse_args().gpus == 2:\n    devices = ['GPU:0', 'GPU:1']\n"
    (event,) = started(text + REPLICAS.format(devices="devices"))
    assert event.model.replicas == 2
    assert any("gpus" in assumption for assumption in event.assumptions)


def test_dtype_policies_are_told() -> None:
    (event,) = started("keras.mixed_precision.set_global_policy('mixed_float16')\n"
                       "model = keras.Sequential([keras.Input((8,)), layers.Dense(4)])\n" + LOOP.format(
                           apply=APPLIED[0]))
    assert (event.model.policy.compute, event.model.policy.variable) == ("float16", "float32")
    (event,) = started("model = keras.Sequential([keras.Input((8,)), layers.Dense(4, dtype='mixed_float16'),"
                       " layers.Dense(4)])\n" + LOOP.format(apply=APPLIED[0]))
    assert isinstance(event.model.policy, Unknown)
