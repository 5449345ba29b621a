"""What the pages about long training claim about real TensorFlow and Keras, as far as a CPU shows it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.harness import library

np = pytest.importorskip("numpy")
X, Y = np.zeros((8, 4), "float32"), np.zeros((8, 1), "float32")


@pytest.fixture
def tf() -> Any:
    return pytest.importorskip("tensorflow")


@pytest.fixture(params=["keras", "tf_keras"])
def keras(request: pytest.FixtureRequest) -> Any:
    found = library(request.param)
    if found is None:
        pytest.skip(f"{request.param} with tensorflow is not installed")
    return found


def is_keras_3(keras: Any) -> bool:
    return str(getattr(keras, "__version__", "2")).startswith("3")


@pytest.mark.parametrize(("argument", "graphs"), [
    (lambda tf, i: i, 10), (lambda tf, i: i / 2, 10), (lambda tf, i: str(i), 10), (lambda tf, i: [i, 1], 10),
    (lambda tf, i: tf.constant(i), 1), (lambda tf, i: np.int64(i), 1), (lambda tf, i: tf.ones((4, i + 1)), 10),
    (lambda tf, i: i % 2 == 0, 2),
])
def test_graphs_of_ten_calls(tf: Any, argument: Callable[[Any, int], Any], graphs: int) -> None:
    function = tf.function(lambda value: tf.constant(1.0))
    for i in range(10):
        function(argument(tf, i))
    assert function.experimental_get_tracing_count() == graphs


@pytest.mark.parametrize(("options", "argument", "graphs"), [
    ({"reduce_retracing": True}, lambda tf, i: i, 10), ({"signature": True}, lambda tf, i: i, 1),
    ({"reduce_retracing": True}, lambda tf, i: tf.ones((4, i + 1)), 2),
])
def test_options_against_retracing(tf: Any, options: dict[str, Any], argument: Callable[[Any, int], Any],
                                   graphs: int) -> None:
    if "signature" in options:
        options = {"input_signature": [tf.TensorSpec((), tf.int32)]}
    function = tf.function(lambda value: tf.constant(1.0), **options)
    for i in range(10):
        function(argument(tf, i))
    assert function.experimental_get_tracing_count() == graphs


def test_each_length_that_padding_leaves_open_is_traced(tf: Any) -> None:
    rows = tf.data.Dataset.from_generator(lambda: ([1.0] * n for n in range(1, 21)),
                                          output_signature=tf.TensorSpec((None,)))
    function = tf.function(lambda batch: tf.constant(1.0))
    for batch in rows.padded_batch(2):
        function(batch)
    assert function.experimental_get_tracing_count() == 10


def test_operations_of_a_session_loop_stay_in_the_graph(tf: Any) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [4])
        total = tf.reduce_sum(x)
        before = len(graph.get_operations())
        for _ in range(5):
            session.run(total, {x: [1.0] * 4})
        assert len(graph.get_operations()) == before
        for _ in range(5):
            session.run(tf.reduce_sum(x), {x: [1.0] * 4})
        assert len(graph.get_operations()) == before + 10  # the axes, a constant, and the sum
        graph.finalize()
        with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
            tf.reduce_sum(x)


def inner(keras: Any, kept: str) -> Any:
    """A layer whose call() makes a Dense, kept nowhere, in an attribute, or once in an attribute."""

    class Inner(keras.layers.Layer):  # type: ignore[misc]
        dense: Any = None

        def call(self, x: Any) -> Any:
            made = keras.layers.Dense(1)
            if not kept:
                return made(x)
            if kept == "always" or self.dense is None:
                self.dense = made
            return self.dense(x)

    return Inner()


@pytest.mark.parametrize(("kept", "fails_3", "fails_2"), [
    ("", True, True), ("always", True, True), ("once", True, False),
])
def test_layers_made_in_call(keras: Any, kept: str, fails_3: bool, fails_2: bool) -> None:
    model = keras.Sequential([inner(keras, kept)])
    model.compile("sgd", "mse")
    if fails_3 if is_keras_3(keras) else fails_2:
        with pytest.raises(ValueError, match=r"singleton tf\.Variables|cannot add new elements of state"):
            model.fit(X, Y, verbose=0)
    else:
        model.fit(X, Y, verbose=0)


def test_a_local_layer_gives_another_result_each_time(tf: Any, keras: Any) -> None:
    layer, x = inner(keras, ""), tf.ones((1, 64))
    assert float(layer(x)[0, 0]) != float(layer(x)[0, 0])
    assert layer.trainable_variables == []


def test_a_layer_keeps_the_policy_of_its_time(tf: Any, keras: Any) -> None:
    before = keras.layers.Dense(1)
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        after = keras.layers.Dense(1)
        policy = keras.mixed_precision.Policy("mixed_float16") if not is_keras_3(keras) else \
            keras.DTypePolicy("mixed_float16")
        assert (before.compute_dtype, after.compute_dtype) == ("float32", "float16")
        with pytest.raises(TypeError, match="is not iterable"):
            tf.config.optimizer.set_experimental_options(policy)
        with pytest.raises(ValueError, match="dictionary update sequence"):
            tf.config.optimizer.set_experimental_options("mixed_float16")
    finally:
        keras.mixed_precision.set_global_policy("float32")


@pytest.mark.parametrize(("made", "compiled", "trained", "fails_3", "fails_2"), [
    (True, True, False, False, False), (True, True, True, False, False), (False, True, False, True, True),
    (True, False, False, True, False), (False, False, True, True, True), (False, False, False, False, False),
])
def test_scopes_of_a_strategy(tf: Any, keras: Any, made: bool, compiled: bool, trained: bool, fails_3: bool,
                              fails_2: bool) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    nothing = importlib.import_module("contextlib").nullcontext

    def train() -> None:
        with strategy.scope() if made else nothing():
            model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
        with strategy.scope() if compiled else nothing():
            model.compile("adam", "mse")
        with strategy.scope() if trained else nothing():
            model.fit(X, Y, verbose=0)

    if fails_3 if is_keras_3(keras) else fails_2:
        with pytest.raises((RuntimeError, ValueError), match=r"[sS]trategy\.scope|Mixing different|distribution str"):
            train()
    else:
        train()
