"""Estimates against what was measured, and how they depend on the program."""

from __future__ import annotations

import re
from typing import Any

import pytest

from cudnnlint.events import StepContinued, TrainingStarted
from cudnnlint.memory.estimate import Estimate
from cudnnlint.values import Stack
from tests.interpret import events_of, of_kind
from tests.memory.measured import KERAS_2, MEASURED
from tests.oracle.memory_models import HEAD, program

KEPT_IN_LOOPS = frozenset({"lstm"})
"""A loop frees what a step kept as it goes back; the estimate keeps it to the end."""


def estimates(text: str, batch: int | None = None, stack: Stack | None = None, **asked: Any) -> list[Estimate]:
    """Of each training call, taken while the program is followed as the commands do it."""
    from cudnnlint.engine import registry
    from cudnnlint.engine.deep import call_deep
    from cudnnlint.interp import analyse
    from cudnnlint.source import Source

    registry.load()
    found: list[Estimate] = []

    def listen(event: Any) -> None:
        event = event.started if isinstance(event, StepContinued) else event
        if isinstance(event, TrainingStarted) and event.memory is not None:
            found.append(event.memory(batch, **asked))

    source = Source.from_text("program.py", text)
    call_deep(lambda: analyse(source, stack=stack or Stack(), emit=listen, roots=()))
    return found


def estimate(text: str, batch: int | None = None, stack: Stack | None = None) -> Estimate:
    return estimates(text, batch, stack)[0]


@pytest.mark.parametrize("name", sorted(MEASURED))
def test_totals_are_those_that_were_measured(name: str) -> None:
    within = 0.04 if name in KEPT_IN_LOOPS else 0.005
    for batch, optimizer, total in MEASURED[name]:
        made = estimate(program(name, batch, optimizer))
        assert not made.unknown
        assert made.terms.total == pytest.approx(total, rel=within), (batch, optimizer)
        assert made.terms.total == made.total(batch)


@pytest.mark.parametrize(("name", "batch", "optimizer", "total"), KERAS_2)
def test_totals_of_keras_2_too(name: str, batch: int, optimizer: str, total: int) -> None:
    made = estimate(program(name, batch, optimizer, "tf_keras"), stack=Stack(keras=(2, 21)))
    assert not made.unknown
    assert made.terms.total == pytest.approx(total, rel=0.005)


def dense(layers: str, compile_: str = '"adam", "mse", jit_compile=False', fit: str = "x, y, batch_size=64") -> str:
    return f"""{HEAD}
model = keras.Sequential([keras.Input((32, 32, 3)), {layers}])
model.compile({compile_})
x, y = np.zeros((640, 32, 32, 3)), np.zeros((640, *model.output_shape[1:]))
model.fit({fit})
"""


CONV = 'layers.Conv2D(64, 3, padding="same"), layers.ReLU(), layers.Conv2D(64, 3, padding="same", activation="relu")'


def test_frozen_layers_have_no_slots_and_keep_nothing() -> None:
    trained, frozen = (estimate(dense(f'layers.Conv2D(64, 3, padding="same"{how}), layers.Conv2D(64, 3)'))
                       for how in ("", ", trainable=False"))
    assert frozen.terms.weights == trained.terms.weights
    assert frozen.terms.optimizer < trained.terms.optimizer
    assert frozen.terms.total < trained.terms.total


def test_slots_by_optimizer() -> None:
    weights = estimate(dense(CONV)).terms.weights
    for optimizer, slots in (('"sgd"', 0), ("keras.optimizers.SGD(momentum=0.9)", 1), ('"rmsprop"', 1), ('"adam"', 2),
                             ("keras.optimizers.Adam(amsgrad=True)", 3), ("keras.optimizers.Adam(use_ema=True)", 3)):
        made = estimate(dense(CONV, f'{optimizer}, "mse", jit_compile=False'))
        assert round(made.terms.optimizer / weights) == slots, optimizer


def test_all_gradients_wait_for_their_norm() -> None:
    wide = "layers.GlobalAveragePooling2D(), " + ", ".join(["layers.Dense(512)"] * 12)
    plain, clipped = (estimate(dense(wide, f'keras.optimizers.SGD({how}), "mse", jit_compile=False'))
                      for how in ("", "global_clipnorm=1.0"))
    assert clipped.terms.gradients > 2 * plain.terms.gradients
    assert clipped.terms.gradients == pytest.approx(clipped.terms.weights, rel=0.01)


@pytest.mark.parametrize(("layers", "compile_", "stack", "regime"), [
    (CONV, '"adam", "mse"', Stack(), "XLA"),
    (CONV, '"adam", "mse", jit_compile=False', Stack(), "op-by-op"),
    (CONV, '"adam", "mse", run_eagerly=True', Stack(), "op-by-op"),
    (CONV, '"adam", "mse"', Stack(keras=(2, 15), tensorflow=(2, 15)), "op-by-op"),
    (f'layers.RandomRotation(0.1), {CONV}', '"adam", "mse"', Stack(), "op-by-op"),
    (f'layers.RandomRotation(0.1), {CONV}', '"adam", "mse", jit_compile=True', Stack(), "op-by-op"),  # with a warning
    (f'layers.Discretization(bin_boundaries=[0.0]), {CONV}', '"adam", "mse"', Stack(), "XLA"),
    ('layers.Reshape((32, 96)), layers.LSTM(8)', '"adam", "mse"', Stack(), "op-by-op"),
    ('layers.Reshape((32, 96)), layers.LSTM(8, use_cudnn=False)', '"adam", "mse"', Stack(), "XLA"),
])
def test_the_regime_is_inferred(layers: str, compile_: str, stack: Stack, regime: str) -> None:
    assert estimate(dense(layers, compile_), stack=stack).regime == regime


def test_half_precision_saves_half_of_a_net_without_batch_normalization() -> None:
    single = dense(f"{CONV}, layers.GlobalMaxPooling2D()")
    mixed = single.replace("model =", 'keras.mixed_precision.set_global_policy("mixed_float16")\nmodel =')
    a, b = estimate(single), estimate(mixed)
    assert b.policy == "mixed_float16"
    assert b.terms.activations == pytest.approx(a.terms.activations / 2, rel=0.1)
    assert b.terms.weights == a.terms.weights


def test_what_is_not_known_makes_a_lower_bound() -> None:
    made = estimate(dense(f"{CONV}, layers.Conv2D(8, int(input()))"))
    assert made.lower_bound
    assert "Conv2D" in " ".join(made.unknown)
    assert made.terms.total > estimate(dense("layers.ReLU()")).terms.total


@pytest.mark.parametrize("name", sorted(MEASURED))
@pytest.mark.parametrize("stack", [Stack(), Stack(keras=(2, 15), tensorflow=(2, 15))], ids=["XLA", "op-by-op"])
def test_an_input_of_unknown_rank_makes_a_lower_bound(name: str, stack: Stack) -> None:
    text = re.sub(r"Input\(\([^()]*\)", "Input(tuple(map(int, input().split()))", program(name, 8, "adam"))
    made = estimate(text, stack=stack)
    assert made.lower_bound
    assert "an input" in " ".join(made.unknown)


def test_the_largest_batch_fits_and_the_next_does_not_leave_room() -> None:
    made = estimate(dense(CONV))
    usable = 1 << 30
    largest = made.largest(usable)
    assert made.needs(largest) <= usable < made.total(largest + 1) * 1.75
    assert made.largest(made.state) == 0
    assert [made.total(batch) for batch in (1, 2, 64)] == sorted(made.total(batch) for batch in (1, 2, 64))


def test_layers_of_the_users_own_are_followed() -> None:
    text = f"""{HEAD}
class Block(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.conv, self.norm = layers.Conv2D(width, 3, padding="same"), layers.BatchNormalization()
    def call(self, x):
        return keras.ops.relu(self.norm(self.conv(x)))

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(16), Block(16)]
        self.head = layers.Dense(10)
    def call(self, x, training=None):
        for block in self.blocks:
            x = block(x)
        return self.head(layers.GlobalAveragePooling2D()(x))

model = Net()
model.compile("adam", "mse", jit_compile=False)
model.fit(np.zeros((64, 32, 32, 3), "float32"), np.zeros((64, 10), "float32"), batch_size=16)
"""
    block = 'layers.Conv2D(16, 3, padding="same"), layers.BatchNormalization(), layers.ReLU()'
    plain = dense(f"{block}, {block}, layers.GlobalAveragePooling2D(), layers.Dense(10)", fit="x, y, batch_size=16")
    made = estimate(text)
    assert not made.unknown
    assert made.terms.total == pytest.approx(estimate(plain).terms.total, rel=0.001)


def test_a_model_within_a_model_is_the_same_as_its_layers() -> None:
    inner = f"keras.Sequential([keras.Input((32, 32, 3)), {CONV}])"
    assert estimate(dense(inner)).terms == estimate(dense(CONV)).terms


def test_a_thousand_layers_are_estimated_to_the_last() -> None:
    many = ", ".join(['layers.Conv2D(8, 3, padding="same"), layers.BatchNormalization(), layers.ReLU()'] * 333)
    text = dense(many, fit="x, y, batch_size=32")
    found: list[Any] = []

    def listen(event: Any) -> None:
        if isinstance(event, TrainingStarted) and event.memory is not None:
            found.append(event.memory())

    from cudnnlint.engine import registry
    from cudnnlint.engine.deep import call_deep
    from cudnnlint.interp import analyse
    from cudnnlint.source import Source

    registry.load()
    call_deep(lambda: analyse(Source.from_text("program.py", text), stack=Stack(), emit=listen, roots=()))
    assert found
    assert not found[0].unknown
    assert not found[0].lower_bound


def test_events_without_a_model_have_no_estimate() -> None:
    events = of_kind(events_of(dense(CONV)), TrainingStarted)
    assert events and all(callable(event.memory) for event in events)


def test_a_prediction_keeps_nothing_for_the_way_back() -> None:
    text = dense(f"{CONV}, layers.Dropout(0.5), layers.BatchNormalization(), {CONV}")
    predicted = estimate(text.replace("model.fit(x, y,", "model.predict(x,"))
    one = 64 * 32 * 32 * 64 * 4
    assert not predicted.training and predicted.terms.optimizer == predicted.terms.gradients == 0
    assert one < predicted.terms.activations + predicted.terms.transient <= 3 * one


@pytest.mark.parametrize("jit", ["True", "False"])
def test_a_frozen_backbone_keeps_nothing(jit: str) -> None:
    def text(trainable: str) -> str:
        return f"""{HEAD}
base = keras.applications.ResNet50(weights=None, include_top=False, input_shape=(64, 64, 3))
base.trainable = {trainable}
model = keras.Model(base.input, layers.Dense(10)(layers.GlobalAveragePooling2D()(base.output)))
model.compile("adam", "mse", jit_compile={jit})
model.fit(np.zeros((320, 64, 64, 3)), np.zeros((320, 10)), batch_size=32)
"""

    frozen, trained = estimate(text("False")), estimate(text("True"))
    assert frozen.terms.weights == trained.terms.weights
    assert frozen.terms.activations + frozen.terms.transient < trained.terms.activations / 6
    assert frozen.terms.activations < frozen.terms.transient / 10  # computed, and not kept


def test_loops_of_the_programs_own_are_told_for_each_model() -> None:
    text = f"""{HEAD}
import tensorflow as tf
model = keras.Sequential([keras.Input((32, 32, 3)), {CONV}])
optimizer, loss = keras.optimizers.Adam(), keras.losses.MeanSquaredError()

@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        value = loss(y, model(x, training=True))
    optimizer.apply_gradients(zip(tape.gradient(value, model.trainable_variables), model.trainable_variables))

for _ in range(3):
    step(tf.zeros((16, 32, 32, 3)), tf.zeros((16, 32, 32, 64)))
"""
    made = estimate(text)
    assert (made.method, made.regime, made.batch_size, made.optimizer) == ("GradientTape", "op-by-op", 16, "Adam")
    fitted = estimate(dense(CONV, fit="x, y, batch_size=16"))
    assert made.terms.weights == fitted.terms.weights
    assert 0.8 < fitted.terms.total / made.terms.total < 1  # whose gradient of the mean waits for its shape


def test_a_step_of_the_programs_own_is_compiled_as_its_model_was() -> None:
    text = f"""{HEAD}
import tensorflow as tf

class Pair(keras.Model):
    def __init__(self, inner):
        super().__init__()
        self.inner, self.loss_fn = inner, keras.losses.MeanSquaredError()

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            value = self.loss_fn(y, self.inner(x, training=True))
        grads = tape.gradient(value, self.inner.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.inner.trainable_variables))
        return {{"loss": value}}

model = Pair(keras.Sequential([keras.Input((32, 32, 3)), {CONV}]))
model.compile("adam"JIT)
model.fit(np.zeros((64, 32, 32, 3), "float32"), np.zeros((64, 32, 32, 64), "float32"), batch_size=16)
"""
    for jit, regime in ((", jit_compile=False", "op-by-op"), ("", "XLA")):
        (made,) = estimates(text.replace("JIT", jit))
        assert (made.method, made.regime, made.unknown) == ("fit", regime, ())
        plain = estimate(text.partition("class Pair")[0] + text.partition("model = Pair(")[2].replace(
            "keras.Seq", "model = keras.Seq", 1).replace(")\nmodel.compile(", "\nmodel.compile(").replace(
            '"adam"JIT', f'"adam", "mse"{jit}'))
        assert made.terms.total == pytest.approx(plain.terms.total, rel=0.01)


def test_lists_that_grow_after_a_call_are_what_the_call_took() -> None:
    text = f"""{HEAD}
inputs = keras.Input((32, 32, 3))
features = [inputs]
for _ in range(3):
    joined = features[0] if len(features) == 1 else layers.Concatenate()(features)
    features.append(layers.Conv2D(16, 3, padding="same", activation="relu")(joined))
model = keras.Model(inputs, features[-1])
model.compile("sgd", "mse", jit_compile=False)
model.fit(np.zeros((64, 32, 32, 3), "float32"), np.zeros((64, 32, 32, 16), "float32"), batch_size=16)
"""
    assert estimate(text).terms == estimate(text.replace("(features)", "(list(features))")).terms


def test_layers_that_a_block_leaves_out_have_no_weights() -> None:
    text = f"""{HEAD}
class Residual(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.width, self.conv, self.project = width, layers.Conv2D(width, 3, padding="same"), layers.Conv2D(width, 1)
    def call(self, x):
        shortcut = x if x.shape[-1] == self.width else self.project(x)
        return shortcut + self.conv(x)

inputs = keras.Input((32, 32, 3))
model = keras.Model(inputs, Residual(16)(Residual(16)(inputs)))
model.compile("sgd", "mse", jit_compile=False)
model.fit(np.zeros((64, 32, 32, 3), "float32"), np.zeros((64, 32, 32, 16), "float32"), batch_size=16)
"""
    made = estimate(text)
    assert not made.unknown
    assert made.terms.weights == 4 * (3 * 9 * 16 + 16 + 3 * 16 + 16 + 16 * 9 * 16 + 16)


def test_comparisons_keep_a_byte_each() -> None:
    text = f"""{HEAD}
def huber(y_true, y_pred):
    away = keras.ops.abs(y_true - y_pred)
    return keras.ops.mean(keras.ops.where(away < 1.0, 0.5 * away**2, away - 0.5))

model = keras.Sequential([keras.Input((32, 32, 3)), {CONV}])
model.compile("adam", huber, jit_compile=False)
model.fit(np.zeros((64, 32, 32, 3), "float32"), np.zeros((64, 32, 32, 64), "float32"), batch_size=16)
"""
    assert not estimate(text).unknown


def test_gelu_of_keras_ops_is_the_approximation() -> None:
    """A transformer's hidden layers of a video model keep one tensor more each: 12 % of the step."""
    named, function, tanh = (estimate(dense(f'layers.Conv2D(64, 3, padding="same", activation={how})')).terms.total
                             for how in ('"gelu"', "keras.ops.gelu", "keras.activations.gelu"))
    assert named == tanh < function


@pytest.mark.parametrize("name", ["vgg", "unet", "transformer", "normed"])
@pytest.mark.parametrize("compiled", [True, False])
def test_the_largest_batch_is_the_same_whichever_is_asked_about(name: str, compiled: bool) -> None:
    """What XLA keeps hangs on the batch: that which is advised fits as it is told of itself."""
    text, usable = program(name, 8, "adam").replace("jit_compile=False", f"jit_compile={compiled}"), 4 << 30
    found = {estimate(text, batch).largest(usable) for batch in (100, 3000)}
    assert len(found) == 1
    largest = found.pop()
    assert estimate(text, largest).largest(usable) == largest
    full = {estimate(text, batch).largest(usable) for batch in (None, 1)}  # the batch divides the rows
    assert len(full) == 1 and abs(full.pop() / largest - 1) < 0.03
    if compiled:
        assert estimate(text, largest).most() <= usable < estimate(text, largest + largest // 50).most()
