"""Our verdict on cuDNN's recurrent kernels against the libraries' own."""

from __future__ import annotations

import importlib
import itertools
from typing import Any

import pytest

from cudnnlint.ops.cudnn_rnn import cudnn_eligible
from cudnnlint.ops.protocol import LAYERS
from tests.oracle.harness import installed_stack, library, load_ops

load_ops()
CHOICES: dict[str, tuple[Any, ...]] = {
    "activation": ("tanh", "relu", None), "recurrent_activation": ("sigmoid", "hard_sigmoid"),
    "use_bias": (True, False), "unroll": (False, True), "recurrent_dropout": (0.0, 0.2), "dropout": (0.0, 0.3),
    "reset_after": (True, False),
}


def configurations(name: str) -> list[dict[str, Any]]:
    keys = [key for key in CHOICES if key != "reset_after" or name == "GRU"]
    return [dict(zip(keys, values, strict=True)) for values in itertools.product(*(CHOICES[key] for key in keys))]


def keras_3(name: str, given: dict[str, Any]) -> bool:
    """keras/src/layers/rnn/{lstm,gru}.py: inner_loop, on a machine with a GPU."""
    rnn = importlib.import_module("keras.src.backend.tensorflow.rnn")
    supports = rnn._do_lstm_arguments_support_cudnn if name == "LSTM" else rnn._do_gru_arguments_support_cudnn
    made = getattr(library("keras").layers, name)(2, **given)
    arguments = {key: getattr(made, key) for key in ("activation", "recurrent_activation", "unroll", "use_bias")}
    if name == "GRU":
        arguments["reset_after"] = made.reset_after
    return bool(supports(**arguments)) and not made.recurrent_dropout


def keras_2(name: str, given: dict[str, Any]) -> bool:
    return bool(getattr(library("tf_keras").layers, name)(2, **given)._could_use_gpu_kernel)


@pytest.mark.parametrize("layer", ["LSTM", "GRU"])
@pytest.mark.parametrize(("name", "verdict"), [("keras", keras_3), ("tf_keras", keras_2)])
def test_eligible_where_the_library_says_so(name: str, verdict: Any, layer: str) -> None:
    if library(name) is None:
        pytest.skip(f"{name} with tensorflow is not installed")
    stack = installed_stack(name)
    builder = LAYERS[f"keras.layers.{layer}"].builder
    for given in configurations(layer):
        wanted = verdict(layer, given)
        assert cudnn_eligible(builder(units=2, **given), stack) is wanted, given
        assert cudnn_eligible(given, stack) is wanted, given


def test_cells_and_simple_layers_never_run_on_cudnn() -> None:
    stack = installed_stack("keras") if library("keras") else installed_stack("tf_keras")
    assert cudnn_eligible(LAYERS["keras.layers.SimpleRNN"].builder(2), stack) is False
    cell = LAYERS["keras.layers.LSTMCell"].builder(2)
    assert cudnn_eligible(LAYERS["keras.layers.RNN"].builder(cell), stack) is False
