"""What decides whether Keras compiles a step besides compile(): settings, backends, and layers that hold others."""

from __future__ import annotations

import pytest

from cudnnlint.values import Stack
from tests.memory.test_estimates import CONV, HEAD, dense, estimate

DETERMINISM = "tf.config.experimental.enable_op_determinism()\n"
EAGERLY = "tf.config.run_functions_eagerly({})\n"
COMPILED = '"adam", "mse"'
TOLD = '"adam", "mse", jit_compile=True'


def preceded(lines: str, compile_: str = COMPILED) -> str:
    return "import os\nimport tensorflow as tf\n" + lines + dense(CONV, compile_)


@pytest.mark.parametrize(("text", "regime", "why"), [
    (preceded(DETERMINISM), "op-by-op", "deterministic operations"),
    (preceded(DETERMINISM, TOLD), "op-by-op", "not with jit_compile=True either"),
    (preceded('os.environ["TF_DETERMINISTIC_OPS"] = "1"\n'), "op-by-op", "deterministic operations"),
    (preceded('os.environ["TF_DETERMINISTIC_OPS"] = "0"\n'), "XLA", "auto"),
    (preceded(f"if os.path.exists('x'):\n    {DETERMINISM}"), "XLA", "(line 4) is not counted"),
    (preceded(EAGERLY.format("True")), "op-by-op", "run_functions_eagerly(True)"),
    (preceded(EAGERLY.format("True") + EAGERLY.format("False")), "XLA", "auto"),
    (preceded('os.environ["KERAS_BACKEND"] = "torch"\n', TOLD), "op-by-op", "PyTorch"),
    (preceded('os.environ["KERAS_BACKEND"] = "jax"\n' + DETERMINISM), "XLA", "KERAS_BACKEND=jax"),
    (preceded("tf.config.optimizer.set_jit(True)\n", f"{COMPILED}, jit_compile=False"), "op-by-op", "is not counted"),
    (preceded('os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2"\n', f"{COMPILED}, jit_compile=False"), "op-by-op",
     "is not counted")])
def test_settings_of_the_program_decide(text: str, regime: str, why: str) -> None:
    made = estimate(text)
    assert made.regime == regime
    assert any(why in each for each in made.assumptions), made.assumptions


def test_before_keras_3_8_determinism_compiles() -> None:
    assert estimate(preceded(DETERMINISM), stack=Stack(keras=(3, 3))).regime == "XLA"


def test_an_lstm_is_compiled_where_keras_runs_on_jax() -> None:
    lstm = dense("layers.Reshape((32, 96)), layers.LSTM(8)", COMPILED)
    assert estimate(lstm).regime == "op-by-op"
    assert estimate('import os\nos.environ["KERAS_BACKEND"] = "jax"\n' + lstm).regime == "XLA"


@pytest.mark.parametrize("layer", ["layers.RandAugment((0, 255))", "layers.AugMix((0, 255))",
                                   "layers.Pipeline([layers.RandomRotation(0.1)])"])
def test_layers_within_layers_forbid_it(layer: str) -> None:
    assert estimate(dense(f"{layer}, {CONV}", COMPILED)).regime == "op-by-op"


def test_a_layer_of_the_program_forbids_it() -> None:
    own = f"""{HEAD}
class Own(layers.Layer):
    def __init__(self):
        super().__init__()
        self.supports_jit = False

    def call(self, x):
        return 2 * x

"""
    made = estimate(own + dense(f"Own(), {CONV}", COMPILED))
    assert made.regime == "op-by-op"
    assert any("Own says supports_jit = False" in each for each in made.assumptions)


@pytest.mark.parametrize(("after", "regime"), [
    ("model.jit_compile = False", "op-by-op"), ("model.run_eagerly = True", "op-by-op"), ("", "XLA"),
    ("model.jit_compile = False\nmodel.compile('sgd', 'mse')", "XLA")])
def test_what_is_set_on_a_compiled_model_counts(after: str, regime: str) -> None:
    text = dense(CONV, COMPILED).replace("\nx, y", f"\n{after}\nx, y", 1)
    assert estimate(text).regime == regime
