"""What the pages of rules claim about real Keras, as far as a CPU shows it."""

from __future__ import annotations

import importlib
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
    with pytest.raises(Exception, match=r"Incompatible shapes|batch size|incompatible|Required broadcastable"):
        model.predict(x, batch_size=batch, verbose=0)
    model.predict(x[:16], batch_size=16, verbose=0)


def test_the_third_positional_argument_is_strides(keras: Any) -> None:
    assert tuple(keras.layers.Conv2D(8, 3, 3)(keras.Input((33, 33, 3))).shape) == (None, 11, 11, 8)
