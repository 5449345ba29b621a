"""Steps of a program's own are told whole, and once."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudnnlint.engine.memory import Asked, fits
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.memory.estimate import Estimate
from tests.memory.test_estimates import estimate, estimates
from tests.oracle.memory_models import HEAD, filled
from tests.oracle.memory_runs import ALL

LOOP = f"""{HEAD}
import tensorflow as tf

a = keras.Sequential([keras.Input((64,)), layers.Dense(512, activation="relu"), layers.Dense(64)])
b = keras.Sequential([keras.Input((64,)), layers.Dense(256, activation="relu"), layers.Dense(1)])
of_a, of_b = keras.optimizers.Adam(), keras.optimizers.SGD()


@tf.function
def step(x):
    with tf.GradientTape() as one, tf.GradientTape() as two:
        made = a(x)
        loss = tf.reduce_mean(tf.square(b(made)))
        other = tf.reduce_mean(tf.abs(b(x)))
    of_a.apply_gradients(zip(one.gradient(loss, a.trainable_variables), a.trainable_variables))
    of_b.apply_gradients(zip(two.gradient(other, b.trainable_variables), b.trainable_variables))


for x in tf.data.Dataset.from_tensor_slices(np.zeros((640, 64), "float32")).batch(32, drop_remainder=True):
    step(x)
"""
PARAMS_A, PARAMS_B = 64 * 512 + 512 + 512 * 64 + 64, 64 * 256 + 256 + 256 + 1
FEW = 100


def told(folder: Path, text: str) -> list[Estimate]:
    path = folder / "train.py"
    path.write_text(text)
    return [fit.estimate for fit in fits([str(path)], Settings(), Asked())]


def test_one_entry_stands_for_all_that_a_step_trains(tmp_path: Path) -> None:
    (made,) = told(tmp_path, LOOP)
    assert (made.method, made.batch_size, made.optimizer, made.unknown) == ("GradientTape", 32, "Adam and SGD", ())
    assert made.terms.weights == 4 * (PARAMS_A + PARAMS_B)
    assert 0 <= made.terms.optimizer - 4 * 2 * PARAMS_A < FEW


@pytest.mark.parametrize(("how", "regime"), [
    ("@tf.function", "op-by-op"), ("@tf.function(jit_compile=True)", "XLA"), ("@tf.function(jit_compile=FAST)", "XLA"),
    ("@tf.function(jit_compile=False)", "op-by-op"), ("", "op-by-op")])
def test_a_loop_is_compiled_where_its_function_says_so(tmp_path: Path, how: str, regime: str) -> None:
    (made,) = told(tmp_path, LOOP.replace("\n@tf.function", f"\nFAST = True\n\n\n{how}"))
    assert made.regime == regime


def test_a_loop_is_compiled_where_its_function_is_wrapped_so(tmp_path: Path) -> None:
    wrapped = LOOP.replace("@tf.function", "").replace("\nfor x", "\nstep = tf.function(step, jit_compile=True)\nfor x")
    assert [made.regime for made in told(tmp_path, wrapped)] == ["XLA"]


def test_fit_tells_of_the_step_that_it_runs(tmp_path: Path) -> None:
    (made,) = told(tmp_path, filled(ALL["in_turns"], 8, "adam"))
    assert (made.method, made.batch_size, made.optimizer, made.unknown) == ("fit", 8, "Adam", ())
    trained = made.terms.optimizer // 2
    assert 0.99 * made.terms.weights < trained < made.terms.weights  # all but the moving statistics of a normalisation


def test_loops_that_train_one_after_the_other_are_told_apart(tmp_path: Path) -> None:
    head, _, rest = LOOP.partition("@tf.function")
    loop = "for x in" + rest.partition("for x in")[2].partition("    step(x)")[0]
    text = head + "".join(f"""{loop}    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square({model}(x)))
    of_{model}.apply_gradients(zip(tape.gradient(loss, {model}.trainable_variables), {model}.trainable_variables))
""" for model in "ab")
    assert [made.terms.weights for made in told(tmp_path, text)] == [4 * PARAMS_A, 4 * PARAMS_B]


def test_a_loss_of_the_programs_own_is_followed() -> None:
    wide = "tf.reduce_mean(tf.square(tf.matmul(made, made, transpose_b=True))) + tf.reduce_mean(b(made))"
    large = LOOP.replace("batch(32", "batch(512")
    _, plain = estimates(large)
    _, other = estimates(large.replace("tf.reduce_mean(tf.square(b(made)))", wide))
    assert not other.unknown
    assert other.terms.total - plain.terms.total > 4 * 512 * 512


def test_a_mask_leaves_one_tensor_of_scores_and_a_byte_of_each_layer_s() -> None:
    text = f"""{HEAD}
inputs = keras.Input((128, 64))
x = layers.MultiHeadAttention(8, 16)(inputs, inputsMASK)
for _ in range(3):
    x = layers.MultiHeadAttention(8, 16)(x, xMASK)
model = keras.Model(inputs, layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))
model.compile("sgd", "mse", jit_compile=False)
model.fit(np.zeros((64, 128, 64), "float32"), np.zeros((64, 1)), batch_size=8)
"""
    free, masked = (estimate(text.replace("MASK", mask)).terms.total for mask in ("", ", use_causal_mask=True"))
    scores = 8 * 8 * 128 * 128
    assert free - masked >= 3 * 4 * scores - 4 * scores


def test_an_accuracy_of_every_pixel_is_counted() -> None:
    text = f"""{HEAD}
model = keras.Sequential([keras.Input((64, 64, 3)), layers.Conv2D(32, 1, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy", metrics=METRICS, jit_compile=False)
model.fit(np.zeros((64, 64, 64, 3), "float32"), np.zeros((64, 64, 64, 1), "int32"), batch_size=8)
"""
    with_it, without = (estimate(text.replace("METRICS", given)).terms.total for given in ('["accuracy"]', "None"))
    assert with_it - without >= 4 * 8 * 64 * 64 * 32


ACCUMULATED = f"""{HEAD}
model = keras.Sequential([keras.Input((784,)), layers.Dense(4096, activation="relu"), layers.Dense(10)])
model.compile(keras.optimizers.Adam(STEPS), "mse", JIT)
model.fit(np.zeros((64, 784), "float32"), np.zeros((64, 10), "float32"), batch_size=8)
"""


def accumulated(steps: str, jit: str) -> Estimate:
    return estimate(ACCUMULATED.replace("STEPS", steps).replace("JIT", jit))


def test_gradients_that_are_summed_over_steps_wait_in_place_op_by_op() -> None:
    """65,283,073 bytes in the fourth step of TensorFlow 2.21 and Keras 3.15 on a CPU."""
    plain, summed = (accumulated(steps, "jit_compile=False") for steps in ("", "gradient_accumulation_steps=4"))
    assert summed.terms.optimizer == pytest.approx(1.5 * plain.terms.optimizer, rel=0.01)
    assert summed.terms.total == pytest.approx(65_283_073, rel=0.005)


@pytest.mark.parametrize(("optimizer", "total"), [("SGD(", 18_149_769), ("RMSprop(", 33_196_489),
                                                  ("SGD(momentum=0.9, ", 31_297_929)])
def test_the_step_that_ends_an_accumulation_updates_too(optimizer: str, total: int) -> None:
    """Measured in the fourth step: what a batch keeps is little, and what an update computes is not."""
    (made,) = estimates(HEAD + f"""
model = keras.Sequential([
    keras.Input((64,)), layers.Dense(1024, activation="relu"), layers.Dense(1024, activation="tanh"),
    layers.Dropout(0.4), layers.Dense(512, activation="softplus"), layers.Dense(10)])
model.compile(keras.optimizers.{optimizer}gradient_accumulation_steps=4),
              keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
model.fit(np.zeros((128, 64), "float32"), np.zeros((128,), "int32"), batch_size=64)
""")
    assert made.terms.total == pytest.approx(total, rel=0.01)


def test_weight_decay_waits_for_the_gradients_where_a_loss_is_scaled() -> None:
    """Gradients, what decays, and the first differences of all variables are alive at once: 34.2 MB in a step of a
    ResNet whose variables are 11.4 MB, on a CPU."""
    text = ACCUMULATED.replace("Adam(STEPS)", "LossScaleOptimizer(MADE)").replace("JIT", "jit_compile=False")
    decayed, plain = (estimate(text.replace("MADE", f"keras.optimizers.{made}()")) for made in ("AdamW", "Adam"))
    assert decayed.terms.total - plain.terms.total == pytest.approx(4 * 784 * 4096, rel=0.05)


TURNS = f"""{HEAD}
import tensorflow as tf

made = keras.Sequential([keras.Input((128,)), layers.Dense(8 * 8 * 64), layers.Reshape((8, 8, 64)),
                         layers.Conv2DTranspose(256, 4, 4, padding="same", activation="relu"),
                         layers.Conv2D(3, 5, padding="same", activation="sigmoid")])
told = keras.Sequential([keras.Input((32, 32, 3)), layers.Conv2D(32, 4, 2, activation="relu"), layers.Flatten(),
                         layers.Dense(1)])
one, two = keras.optimizers.Adam(), keras.optimizers.Adam()


@tf.function(jit_compile=True)
def step(x, z):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(told(MADE)) - tf.reduce_mean(told(x))
    one.apply_gradients(zip(tape.gradient(loss, told.trainable_variables), told.trainable_variables))
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(told(made(z)))
    two.apply_gradients(zip(tape.gradient(loss, made.trainable_variables), made.trainable_variables))


step(tf.zeros((16, 32, 32, 3)), tf.zeros((16, 128)))
"""


def test_xla_computes_what_two_steps_compute_of_one_model_at_once() -> None:
    """As seen in the buffers that its CUDA compiler assigns to a DCGAN: twice what the generator puts out."""
    twice, once = (estimate(TURNS.replace("MADE", given)).terms.total for given in ("made(z)", "x"))
    largest = 16 * 32 * 32 * 256 * 4
    assert 0.9 * largest < twice - once < 2.1 * largest


def test_xla_adds_gradients_to_those_of_the_steps_before() -> None:
    """56,750,776 bytes are what its CUDA compiler assigns to the graph that TensorFlow 2.21 makes."""
    summed = accumulated("gradient_accumulation_steps=4", "jit_compile=True")
    assert summed.terms.total == pytest.approx(56_750_776, rel=0.01)
    assert summed.terms.gradients == 0


def test_what_xla_keeps_of_a_loop_over_time_is_not_known() -> None:
    text = f"""{HEAD}
model = keras.Sequential([keras.Input((10, 32, 32, 1)), layers.ConvLSTM2D(8, 3), layers.Flatten(), layers.Dense(4)])
model.compile("adam", "mse", JIT)
model.fit(np.zeros((8, 10, 32, 32, 1), "float32"), np.zeros((8, 4), "float32"), batch_size=2)
"""
    assert not estimate(text.replace("JIT", "jit_compile=False")).unknown
    (reason,) = estimate(text.replace("JIT", "jit_compile=True")).unknown
    assert "layer over time" in reason


@pytest.mark.parametrize("masks", [True, False])
def test_of_masked_steps_it_is_not_known_either(masks: bool) -> None:
    made = estimate(f"""{HEAD}
model = keras.Sequential([keras.Input((20,)), layers.Embedding(50, 8, mask_zero={masks}),
                          layers.GRU(8, use_cudnn=False), layers.Dense(4)])
model.compile("adam", "mse")
model.fit(np.zeros((64, 20), "int32"), np.zeros((64, 4), "float32"), batch_size=16)
""")
    assert made.regime == "XLA"
    assert bool(made.unknown) is masks


MODES = f"""{HEAD}
class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.think, self.drop, self.tell = layers.Dense(512, activation="relu"), layers.Dropout(0.5), layers.Dense(4)

    def call(self, x):
        return self.tell(self.drop(self.think(x)))

model = Net()
model.compile("sgd", "mse", jit_compile=False)
model.fit(np.zeros((256, 64), "float32"), np.zeros((256, 4), "float32"), batch_size=64)
"""


def test_keras_3_drops_nothing_where_call_is_not_told_of_training() -> None:
    """Two programs of the oracle that do so took what is estimated without dropout."""
    told = MODES.replace("def call(self, x)", "def call(self, x, training=False)")
    (silent,), (active,) = estimates(MODES), estimates(told)
    mask = 64 * 512
    assert active.terms.total - silent.terms.total >= mask


def test_accumulated_gradients_come_in_the_order_of_the_variables() -> None:
    """One conditional takes them all: 68,835,577 bytes in a step of TensorFlow 2.21 and Keras 3.15 on a CPU."""
    (made,) = estimates(HEAD + """
model = keras.Sequential([
    keras.Input((64,)), layers.Dense(1024, activation="relu"), layers.Dense(1024, activation="tanh"),
    layers.Dropout(0.4), layers.Dense(512, activation="softplus"), layers.Dense(10)])
model.compile(keras.optimizers.Adam(1e-3, gradient_accumulation_steps=4),
              keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
model.fit(np.zeros((8192, 64), "float32"), np.zeros((8192,), "int32"), batch_size=2048)
""")
    assert made.terms.total == pytest.approx(68_835_577, rel=0.005)


STEPS = f"""{HEAD}
inputs = keras.Input((30, 64))
x = layers.TimeDistributed(layers.Dense(256, activation="relu"))(inputs)
x = layers.TimeDistributed(layers.Dense(128, activation="relu"))(x)
model = keras.Model(inputs, layers.Dense(5, activation="softmax")(layers.GlobalAveragePooling1D()(x)))
model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
model.fit(np.zeros((4, 30, 64), "float32"), np.zeros((4,), "int32"), batch_size=2)
"""
CLIPS = f"""{HEAD}
each = keras.Sequential([
    keras.Input((48, 48, 3)), layers.Conv2D(16, 3, activation="relu"), layers.MaxPooling2D(),
    layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
    layers.Dense(64, activation="relu")])
inputs = keras.Input((6, 48, 48, 3))
x = layers.GRU(48, use_cudnn=False)(layers.TimeDistributed(each)(inputs))
model = keras.Model(inputs, layers.Dense(5, activation="softmax")(x))
model.compile("adam", "categorical_crossentropy", jit_compile=False)
model.fit(np.zeros((4, 6, 48, 48, 3), "float32"), np.zeros((4, 5), "float32"), batch_size=2)
"""


@pytest.mark.parametrize(("text", "total"), [(STEPS, 6_430_336), (CLIPS, 11_418_296)])
def test_a_layer_or_model_on_each_step_has_as_many_gradients(text: str, total: int) -> None:
    """Bytes of a step of TensorFlow 2.21 and Keras 3.15 on a CPU."""
    assert estimate(text).terms.total == pytest.approx(total, rel=0.005)


AVERAGED = f"""{HEAD}
import tensorflow as tf

def made():
    return keras.Sequential([keras.Input((64,)), layers.Dense(2048, activation="relu"), layers.Dense(10)])

net, mean = made(), made()
optimizer = keras.optimizers.SGD(0.1)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(x) - y))
    variables = net.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    AVERAGE


for x, y in tf.data.Dataset.from_tensor_slices((np.zeros((64, 64), "float32"), np.zeros((64, 10), "float32"))).batch(8):
    step(x, y)
"""


@pytest.mark.parametrize("line", [
    "for t, s in zip(mean.weights, net.weights): t.assign(0.9 * t + 0.1 * s)",
    "for s, t in zip(net.variables, mean.variables): t.assign(t * 0.9 + (1.0 - 0.9) * s)"])
def test_a_moving_average_by_hand_waits_for_the_update(tmp_path: Path, line: str) -> None:
    """The factor of each old average is there from the start of the step: as TensorFlow 2.21 runs it, within 0.2 %."""
    plain, averaged = (told(tmp_path, AVERAGED.replace("AVERAGE", one)) for one in ("pass", line))
    assert len(averaged) == len(plain) == 1
    assert not averaged[0].unknown
    waiting = averaged[0].terms.total - averaged[0].terms.weights - plain[0].terms.total + plain[0].terms.weights
    assert waiting == pytest.approx(4 * 64 * 2048 + 4 * 2048 * 10, rel=0.02)


def test_a_moving_average_is_computed_in_the_step_that_fit_runs(tmp_path: Path) -> None:
    text = AVERAGED[:AVERAGED.index("@tf.function")] + """
class Averaged(keras.Model):
    def __init__(self):
        super().__init__()
        self.net, self.mean = made(), made()

    def call(self, x):
        return self.net(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.net(x) - y))
        variables = self.net.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        AVERAGE
        return {"loss": loss}


model = Averaged()
model.compile("sgd", jit_compile=False)
model.fit(np.zeros((64, 64), "float32"), np.zeros((64, 10), "float32"), batch_size=8)
"""
    line = "for s, t in zip(self.net.weights, self.mean.weights): t.assign(0.9 * t + 0.1 * s)"
    plain, averaged = (told(tmp_path, text.replace("AVERAGE", one)) for one in ("pass", line))
    assert averaged[0].terms.total - plain[0].terms.total == pytest.approx(4 * 64 * 2048 + 4 * 2048 * 10, rel=0.02)


CRITICS = f"""{HEAD}
import tensorflow as tf

judge = keras.Sequential([
    keras.Input((32, 32, 3)), layers.Conv2D(64, 5, 2, padding="same", activation="relu"),
    layers.Conv2D(256, 5, 2, padding="same", activation="relu"), layers.Flatten(), layers.Dense(1)])
drawer = keras.Sequential([keras.Input((64,)), layers.Dense(8 * 8 * 64, activation="relu"), layers.Reshape((8, 8, 64)),
                           layers.Conv2DTranspose(64, 4, 2, padding="same", activation="relu"),
                           layers.Conv2DTranspose(3, 4, 2, padding="same", activation="tanh")])
by, by_judge = keras.optimizers.Adam(), keras.optimizers.Adam()


@tf.function
def step(real):
    for _ in range(TURNS):
        with tf.GradientTape() as tape:
            drawn = drawer(tf.random.normal((32, 64)), training=True)
            worse = tf.reduce_mean(judge(drawn, training=True)) - tf.reduce_mean(judge(real, training=True))
        grads = tape.gradient(worse, judge.trainable_variables)
        by_judge.apply_gradients(zip(grads, judge.trainable_variables))
    with tf.GradientTape() as tape:
        fooled = -tf.reduce_mean(judge(drawer(tf.random.normal((32, 64)), training=True), training=True))
    by.apply_gradients(zip(tape.gradient(fooled, drawer.trainable_variables), drawer.trainable_variables))


for real in tf.data.Dataset.from_tensor_slices(np.zeros((128, 32, 32, 3), "float32")).batch(32, drop_remainder=True):
    step(real)
"""


def test_a_graph_has_all_turns_of_a_loop_at_once(tmp_path: Path) -> None:
    """Measured as the oracle does it, with four turns."""
    (once,), (often,) = (told(tmp_path, CRITICS.replace("TURNS", turns)) for turns in "14")
    assert often.terms.total == pytest.approx(29_385_704, rel=0.01)
    assert once.terms.total < 0.95 * often.terms.total
    written = told(tmp_path, CRITICS.replace("TURNS", "4").replace("@tf.function\n", ""))
    assert all(made.terms.total <= once.terms.total for made in written)  # then each turn is done before the next
