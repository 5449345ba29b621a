"""What the pages of rules claim about real Keras, as far as a CPU shows it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import pytest

from tests.oracle.harness import library

np = pytest.importorskip("numpy")


@pytest.fixture(params=["keras", "tf_keras"])
def keras(request: pytest.FixtureRequest) -> Any:
    found = library(request.param)
    if found is None:
        pytest.skip(f"{request.param} with tensorflow is not installed")
    return found


def is_keras_3(keras: Any) -> bool:
    return str(getattr(keras, "__version__", "2")).startswith("3")




def test_data_formats_that_disagree_pass_silently(keras: Any) -> None:
    x = keras.layers.Conv2D(8, 3, data_format="channels_first")(keras.Input((3, 32, 32)))
    assert tuple(keras.layers.MaxPooling2D(2)(x).shape) == (None, 4, 15, 30)
    y = keras.layers.Conv2D(8, 3, data_format="channels_first")(keras.Input((32, 32, 3)))
    assert tuple(y.shape) == (None, 8, 30, 1)


def test_batchnorm_along_the_wrong_axis_keeps_statistics_of_rows(keras: Any) -> None:
    norm = keras.layers.BatchNormalization(axis=1)
    norm(keras.layers.Conv2D(8, 3)(keras.Input((32, 32, 3))))
    assert tuple(norm.gamma.shape) == (30,)


def test_nothing_before_batchnorm_learns_from_single_values(keras: Any) -> None:
    dense, norm = keras.layers.Dense(8), keras.layers.BatchNormalization()
    model = keras.Sequential([keras.Input((4,)), dense, norm, keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    before = dense.get_weights()[0].copy()
    model.fit(np.random.rand(3, 4), np.ones((3, 1)), batch_size=1, verbose=0)
    assert np.array_equal(before, dense.get_weights()[0])
    assert np.allclose(norm.get_weights()[3], 0.99 ** 3)


@pytest.mark.parametrize(("layer", "arguments"), [
    ("LSTM", {"activation": "relu"}), ("LSTM", {"recurrent_dropout": 0.2}), ("LSTM", {"unroll": True}),
    ("GRU", {"reset_after": False}), ("GRU", {"use_bias": False}),
])
def test_use_cudnn_is_built_and_fails_when_it_runs(keras: Any, layer: str, arguments: dict[str, Any]) -> None:
    if not is_keras_3(keras):
        with pytest.raises(TypeError, match="use_cudnn"):
            getattr(keras.layers, layer)(4, use_cudnn=True, **arguments)
        return
    made = getattr(keras.layers, layer)(4, use_cudnn=True, **arguments)
    assert tuple(made(keras.Input((5, 3))).shape) == (None, 4)
    with pytest.raises(ValueError, match="use_cudnn=True was specified"):
        made(np.zeros((2, 5, 3), "float32"))


@pytest.mark.parametrize(("mask", "accepted"), [
    ([[True, True, False]], True), ([[False, True, True]], False), ([[True, False, True]], False),
    ([[True, True, True], [False, False, False]], False),
])
def test_keras_3_asserts_in_a_graph_that_masks_are_right_padded(mask: list[list[bool]], accepted: bool) -> None:
    """On a GPU it does so before every masked LSTM and GRU; the assertion itself runs anywhere."""
    if library("keras") is None:
        pytest.skip("keras with tensorflow is not installed")
    tf = importlib.import_module("tensorflow")
    rnn = importlib.import_module("keras.src.backend.tensorflow.rnn")
    run = tf.function(rnn._assert_valid_mask)
    if accepted:
        run(tf.constant(mask))
    else:
        with pytest.raises(tf.errors.InvalidArgumentError, match="right-padded sequences"):
            run(tf.constant(mask))


@pytest.mark.parametrize(("rows", "batch"), [(20, 16), (16, 8)])
def test_stateful_layers_refuse_other_batches(keras: Any, rows: int, batch: int) -> None:
    shape = {"batch_shape": (16, 5, 3)} if is_keras_3(keras) else {"batch_input_shape": (16, 5, 3)}
    model = keras.Sequential([keras.layers.InputLayer(**shape), keras.layers.LSTM(4, stateful=True)])
    x = np.zeros((rows, 5, 3), "float32")
    with pytest.raises(Exception, match=r"Incompatible shapes|batch size|incompatible|Required broadcastable|symbolic"):
        model.predict(x, batch_size=batch, verbose=0)
    model.predict(x[:16], batch_size=16, verbose=0)


def test_the_third_positional_argument_is_strides(keras: Any) -> None:
    assert tuple(keras.layers.Conv2D(8, 3, 3)(keras.Input((33, 33, 3))).shape) == (None, 11, 11, 8)


def test_images_of_different_sizes_are_not_batched() -> None:
    tf = pytest.importorskip("tensorflow")
    photos = tf.data.Dataset.from_generator(lambda: (np.zeros((n, n, 3), "uint8") for n in (4, 5)),
                                            output_signature=tf.TensorSpec((None, None, 3), tf.uint8))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot batch tensors with different shapes"):
        list(photos.batch(2))
    assert [batch.shape[1] for batch in photos.batch(1)] == [4, 5]


@pytest.mark.parametrize(("name", "epsilon", "jumps"), [
    ("Adam", 1e-7, True), ("Nadam", 1e-7, True), ("Adamax", 1e-7, True), ("Adam", 1e-4, False), ("Nadam", 1e-4, False),
    ("Adamax", 1e-4, False), ("RMSprop", 1e-7, False), ("Adagrad", 1e-7, False),
])
def test_averages_in_float16_underflow(keras: Any, name: str, epsilon: float, jumps: bool) -> None:
    tf = importlib.import_module("tensorflow")
    before = keras.backend.floatx()
    keras.backend.set_floatx("float16")
    try:
        variables = keras.Variable if is_keras_3(keras) else tf.Variable
        weight = variables(np.full((2,), 0.5, "float16"))
        optimizer = getattr(keras.optimizers, name)(1e-3, epsilon=epsilon)
        for _ in range(3):
            optimizer.apply_gradients([(tf.constant([1e-3, 0.0], tf.float16), weight)])
        moved = np.abs(np.asarray(weight) - 0.5).max()
        assert (moved > 0.5 or np.isnan(moved)) == jumps
    finally:
        keras.backend.set_floatx(before)


def test_recurrent_layers_of_cudnn_do_not_run_on_a_cpu(keras: Any) -> None:
    tf = importlib.import_module("tensorflow")
    if tf.config.list_physical_devices("GPU"):
        pytest.skip("there is a GPU")
    if is_keras_3(keras):
        with pytest.raises(ValueError, match="use_cudnn=True was specified"):
            keras.layers.LSTM(4, use_cudnn=True)(np.zeros((2, 5, 3), "float32"))
        return
    cudnn = importlib.import_module("tf_keras.src.layers.rnn.cudnn_lstm").CuDNNLSTM(4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="No OpKernel was registered to support Op 'CudnnRNN"):
        tf.function(cudnn)(tf.zeros((2, 5, 3)))


def small(keras: Any) -> Any:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


X, Y = np.zeros((64, 4), "float32"), np.zeros((64, 1), "float32")


@pytest.mark.parametrize(("made", "by", "keras_2"), [
    ([X[:8], Y[:8]], "generator", True), ((X[:8], Y[:8]), "generator", True), (X[:8], "generator", False),
    ((X[:8], Y[:8], Y[:8], Y[:8]), "generator", False), ((X[:8],), "generator", False),
    ([X[:8], Y[:8]], "sequence", True), ((X[:8], Y[:8], Y[:8], Y[:8]), "sequence", False), (X[:8], "sequence", False),
], ids=["list", "tuple", "array", "four", "one", "sequence-list", "sequence-four", "sequence-array"])
def test_structures_of_batches(keras: Any, made: Any, by: str, keras_2: bool) -> None:
    if by == "generator":
        def endless() -> Any:
            while True:
                yield made
        data: Any = endless()
    else:
        base = keras.utils.PyDataset if is_keras_3(keras) else keras.utils.Sequence
        data = type("Batches", (base,), {"__len__": lambda self: 3, "__getitem__": lambda self, index: made})()
    accepted = keras_2 and not (is_keras_3(keras) and by == "generator" and not isinstance(made, tuple))
    if accepted:
        small(keras).fit(data, steps_per_epoch=2, verbose=0)
    else:
        with pytest.raises(ValueError):
            small(keras).fit(data, steps_per_epoch=2, verbose=0)


@pytest.mark.parametrize(("source", "steps", "keras_3", "keras_2"), [
    ("dataset", 20, [8, 8, 8], [8]), ("dataset", 5, [5, 3, 5], [5, 3]), ("dataset", 8, [8, 8, 8], [8, 8, 8]),
    ("generator", 4, [4, 4, 0], [4, 4, 0]), ("generator", 2, [2, 2, 2], [2, 2, 2]),
])
def test_steps_beyond_the_data(keras: Any, source: str, steps: int, keras_3: list[int], keras_2: list[int]) -> None:
    tf = importlib.import_module("tensorflow")
    seen: list[int] = []
    counter = type("Counter", (keras.callbacks.Callback,), {
        "on_epoch_begin": lambda self, epoch, logs=None: seen.append(0),
        "on_train_batch_end": lambda self, batch, logs=None: seen.append(seen.pop() + 1)})()
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8) if source == "dataset" else (
        (X[:8], Y[:8]) for _ in range(8))
    small(keras).fit(data, steps_per_epoch=steps, epochs=3, verbose=0, callbacks=[counter])
    assert seen == (keras_3 if is_keras_3(keras) else keras_2)


@pytest.mark.parametrize(("dtype", "gradient"), [("mixed_float16", 0.0), ("float32", 1.0)])
def test_a_sigmoid_of_float16_has_no_gradient_in_keras_3(dtype: str, gradient: float) -> None:
    library("keras") or pytest.skip("keras with tensorflow is not installed")
    keras, tf = importlib.import_module("keras"), importlib.import_module("tensorflow")
    layer = keras.layers.Dense(1, activation="sigmoid", kernel_initializer="ones", dtype=dtype)
    model = keras.Sequential([keras.Input((2,)), layer])
    with tf.GradientTape() as tape:
        loss = keras.losses.BinaryCrossentropy()(tf.constant([[0.0]]), model(tf.constant([[4.0, 4.0]])))
    assert abs(float(tape.gradient(loss, layer.bias)[0]) - gradient) < 0.01


def test_no_rows_make_moving_statistics_nan(keras: Any) -> None:
    norm = keras.layers.BatchNormalization()
    norm(np.ones((4, 3), "float32"), training=True)
    norm(np.zeros((0, 3), "float32"), training=True)
    assert np.isnan(np.asarray(norm.moving_mean)).all()


def test_an_input_that_counts_the_samples_refuses_the_rows(keras: Any) -> None:
    x = np.zeros((100, 20), "float32")
    model = keras.Sequential([keras.layers.Dense(8, input_shape=x.shape), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match=r"\(None, 100, 20\)"):
        model.fit(x, np.zeros((100, 1)), verbose=0)


REPLICAS = """
import sys, numpy as np, tensorflow as tf
keras = __import__(sys.argv[1])
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
x, y = np.zeros((17, 3), "float32"), np.zeros((17, 1), "float32")
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")


def passes(call):
    try:
        call()
    except tf.errors.InvalidArgumentError as error:
        assert "AddN" in str(error), error
        return "no"
    return "yes"


print(passes(lambda: model.fit(x, y, batch_size=8, verbose=0)),
      passes(lambda: model.fit(x, y, batch_size=7, verbose=0)),
      passes(lambda: model.evaluate(x, y, batch_size=7, verbose=0)), passes(lambda: model.predict(x, 7, verbose=0)),
      passes(lambda: model.fit(x, y, batch_size=8, validation_data=(x[:3], y[:3]), verbose=0)))
"""


@pytest.mark.parametrize(("name", "passes"), [("keras", "yes no no yes no"), ("tf_keras", "yes yes yes yes yes")])
def test_a_first_batch_that_replicas_cannot_share(name: str, passes: str) -> None:
    """In a process of its own: logical devices are made before anything runs."""
    if library(name) is None:
        pytest.skip(f"{name} with tensorflow is not installed")
    run = subprocess.run([sys.executable, "-c", REPLICAS, name], capture_output=True, text=True, timeout=300,
                         check=False)
    assert run.stdout.strip() == passes, run.stderr[-2000:]


SHARED = """
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
data = tf.data.Dataset.from_tensor_slices(tf.zeros((16, 4))).batch(16)
for batches in data, strategy.experimental_distribute_dataset(data):
    for batch in batches:
        rows = strategy.run(lambda x: tf.shape(x)[0], args=(batch,))
        print(*(int(each) for each in strategy.experimental_local_results(rows)))
"""


def test_replicas_share_only_what_is_distributed() -> None:
    pytest.importorskip("tensorflow")
    done = subprocess.run([sys.executable, "-c", SHARED], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.split("\n")[:2] == ["16 16", "8 8"], done.stderr[-500:]


@pytest.mark.parametrize(("epsilon", "varies", "nan"), [(0.0, False, True), (0.0, True, False), (1e-7, False, False)])
def test_batchnorm_without_epsilon(keras: Any, epsilon: float, varies: bool, nan: bool) -> None:
    x = np.random.default_rng(0).random((8, 3)).astype("float32")
    x[:, 1] = x[:, 1] if varies else 1.0
    y = keras.layers.BatchNormalization(epsilon=epsilon)(x, training=True)
    assert bool(np.isnan(np.asarray(y)).any()) == nan


def test_layers_of_cudnn_refuse_masks() -> None:
    keras = library("tf_keras")
    if keras is None:
        pytest.skip("tf_keras is not installed")
    cudnn = importlib.import_module("tf_keras.src.layers.rnn.cudnn_lstm").CuDNNLSTM(4)
    with pytest.raises(ValueError, match="Masking is not supported for CuDNN RNNs"):
        cudnn(keras.layers.Masking()(keras.Input((5, 3))))
