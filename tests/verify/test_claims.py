"""What a finding claims, and the job that is made of it."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Claim
from cudnnlint.source import Source
from cudnnlint.values import Stack
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.plan import plan

HEAD = "import keras\nimport tensorflow as tf\nfrom keras import layers\n"
HERE = Interpreter("/usr/bin/python3", (), frozenset({"keras", "tf_keras", "tensorflow"}))


def claim(code: str, stack: Stack | None = None) -> Claim:
    """Of the one finding in some code."""
    source = Source.from_text("model.py", HEAD + textwrap.dedent(code))
    (finding,) = check_source(source, Settings(), stack or Stack())
    assert finding.claim is not None
    return finding.claim


def facts(code: str) -> dict[str, Any]:
    return dict(claim(code).facts)


def test_a_layer_is_claimed_with_what_the_user_wrote_and_its_inputs() -> None:
    told = facts("layers.Conv2D(32, 11, activation=tf.nn.relu)(keras.Input((8, None, 3)))")
    assert told["layer"] == "keras.layers.Conv2D"
    assert told["arguments"] == {"filters": 32, "kernel_size": 11, "activation": "relu"}
    assert told["inputs"] == {"tensor": {"shape": [None, 8, None, 3], "dtype": "float32", "symbolic": True}}
    assert told["expected"] == [
        {"error": "ValueError", "texts": ["Computed output size would be zero or negative"]}]


def test_open_extents_of_real_tensors_get_stand_ins_that_are_told() -> None:
    told = facts("""
        def use(x):
            layers.LSTM(3)(tf.ensure_shape(x, (None, None, 5, 7)))
        """)
    assert told["inputs"]["tensor"]["shape"] == [2, 32, 5, 7]
    assert told["notes"][:2] == ["batch 2", "side 32 for an open extent"]


def test_initializers_are_left_out_since_they_decide_no_shape() -> None:
    told = facts("layers.Dense(-1, kernel_initializer=keras.initializers.Constant(3))")
    assert told["arguments"] == {"units": -1} and told["stage"] == "constructor"


def test_an_argument_that_a_layer_does_not_have_is_given_to_it() -> None:
    assert facts("layers.Dense(10, colour=[1])")["arguments"] == {"units": 10, "colour": 1}


def test_wrapped_layers_are_claimed_as_they_are_configured() -> None:
    told = facts("layers.Bidirectional(layers.LSTM(3, dropout=0.5))(tf.zeros((3, 4)))")
    assert told["arguments"]["layer"] == {"layer": "keras.layers.LSTM", "arguments": {"units": 3, "dropout": 0.5}}


def test_a_layer_that_was_built_before_is_built_before() -> None:
    told = facts("c = layers.Conv2D(4, 3)\nc(keras.Input((32, 32, 3)))\nc(keras.Input((32, 32, 1)))")
    assert told["before"]["tensor"]["shape"] == [None, 32, 32, 3]


def test_a_policy_of_the_program_is_part_of_the_claim() -> None:
    told = facts("keras.mixed_precision.set_global_policy('mixed_float16')\n"
                 "layers.Conv2D(4, 9)(keras.Input((8, 8, 1)))")
    assert told["policy"] == "mixed_float16"


@pytest.mark.parametrize(("code", "reason"), [
    ("layers.Conv2D(4, 9, activation=lambda x: x)(keras.Input((8, 8, 1)))", "activation is code of the user's"),
    ("class Mine(layers.Layer):\n  def call(self, x): return x\n"
     "layers.TimeDistributed(Mine())(tf.zeros((3,)))", "layer is code of the user's"),
    ("layers.Conv2D(4, 9, activation={'module': 'os', 'class_name': 'function', 'config': 'abort'})"
     "(keras.Input((8, 8, 1)))", "activation is a serialized object"),
    ("layers.Conv2D(4, 3)(tf.zeros((20000, 20000)))",
     "too large to try: an input of 400000000 elements"),
])
def test_what_cannot_be_rebuilt_says_why(code: str, reason: str) -> None:
    found = claim(code)
    assert found.kind == "not-verifiable" and dict(found.facts)["reason"] == reason
    assert plan(found, HERE).reason == reason


def test_a_job_holds_nothing_of_the_verdict_and_is_json() -> None:
    found = claim("layers.Conv2D(32, 11)(keras.Input((8, 8, 3)))")
    made = plan(found, HERE)
    assert json.loads(made.key) == made.job
    assert made.job["api"] == "keras" and not {"expected", "stack", "where", "notes"} & made.job.keys()


def test_a_program_for_keras_2_is_put_to_keras_2_where_it_is_there() -> None:
    found = claim("layers.Conv2D(32, 11)(keras.Input((8, 8, 3)))", Stack(keras=(2, 15), tensorflow=(2, 15)))
    assert plan(found, HERE).job["api"] == "tf_keras"
    assert plan(found, Interpreter("p", (), frozenset({"keras", "tensorflow"}))).job["api"] == "keras"


def test_what_only_a_gpu_shows_is_no_job_for_a_cpu() -> None:
    found = Claim("layer", (("layer", "keras.layers.Dense"), ("needs", "gpu"), ("stack", {"keras": [3]})))
    assert plan(found, HERE).reason == "only a GPU shows it"
    assert plan(found, HERE, "gpu").reason == ""


def test_what_only_a_cpu_shows_is_no_job_for_a_gpu() -> None:
    found = claim("layers.Embedding(10, 3)(tf.constant([[1, 2, 10]]))")
    assert plan(found, HERE).reason == "" and plan(found, HERE, "gpu").reason == "only a CPU shows it"


@pytest.mark.parametrize("value", [float("nan"), "x" * 300_000])
def test_values_that_no_job_can_hold_are_not_verifiable(value: Any) -> None:
    assert plan(Claim("layer", (("layer", "keras.layers.Dense"), ("arguments", {"units": value}))), HERE).reason


def test_the_libraries_of_an_environment_are_read_off_its_directories(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text("")
    python.chmod(0o755)
    for name in ("jax", "keras", "tf_keras"):
        (tmp_path / "packages" / name).mkdir(parents=True)
    found = Interpreter.of(str(tmp_path), [str(tmp_path / "packages")])
    assert found is not None
    assert (found.executable, found.backend, found.api, found.has_keras_2) == (str(python), "jax", "keras", False)
    assert found.lacks == "" and Interpreter.of(str(tmp_path / "packages"), []) is None
    bare = Interpreter.of(str(python), [])
    assert bare is not None and bare.lacks == f"{python} has no TensorFlow, JAX or PyTorch"


def test_a_training_call_is_claimed_with_the_rows_of_the_data_and_the_loss() -> None:
    told = facts("""
        model = keras.Sequential([keras.Input((4,)), layers.Dense(10, activation="softmax")])
        model.compile("sgd", "sparse_categorical_crossentropy")
        model.fit(tf.zeros((96, 4)), tf.zeros((96, 10)), batch_size=16)
        """)
    assert told["model"] == [{"shape": [None, 10], "dtype": "float32"}]
    assert told["y"] == [{"shape": [96, 10], "dtype": "float32"}] and told["arguments"] == {"batch_size": 16}
    assert told["losses"] == [["sparse_categorical_crossentropy", False]]


def test_labels_that_are_out_of_range_are_part_of_the_claim() -> None:
    told = facts("""
        import numpy as np
        model = keras.Sequential([keras.Input((4,)), layers.Dense(10, activation="softmax")])
        model.compile("sgd", "sparse_categorical_crossentropy")
        model.fit(np.zeros((96, 4)), np.random.randint(0, 13, size=96))
        """)
    assert told["y"][0]["fill"] == 12


def test_a_function_is_claimed_with_what_it_was_given() -> None:
    told = facts("tf.concat([tf.zeros((3, 4)), tf.zeros((3, 5))], axis=0)")
    assert told["function"] == "tensorflow.concat" and told["kwargs"] == {"axis": 0}
    assert [each["tensor"]["shape"] for each in told["args"][0]] == [[3, 4], [3, 5]]


def test_what_fails_silently_and_shows_in_nothing_is_not_verifiable() -> None:
    found = claim("""
        model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
        model.compile("sgd", "mse")
        data = tf.data.Dataset.from_tensor_slices((tf.zeros((8, 4)), tf.zeros((8, 1)))).batch(4)
        model.fit(data, shuffle=True)
        """)
    assert found == Claim("not-verifiable", (
        ("reason", "no exception is predicted, and nothing is known to measure"),))


def test_sizes_that_cannot_be_batched_and_indices_are_claimed() -> None:
    told = facts("layers.Embedding(10, 3)(tf.constant([[1, 2, 10]]))")
    assert told["inputs"]["tensor"]["fill"] == 10
    told = facts("""
        def pairs():
            yield tf.zeros((3, 4))
            yield tf.zeros((5, 4))
        tf.data.Dataset.from_generator(pairs, output_signature=tf.TensorSpec((None, 4))).batch(2)
        """)
    assert told["shapes"] == [[3, 4], [5, 4]]


def test_modules_of_pytorch_are_put_to_pytorch_where_it_is_there() -> None:
    told = Claim("layer", (("layer", "torch.nn.Linear"), ("arguments", {}), ("stack", {"keras": [3, 15]})))
    assert plan(told, HERE).reason == "the environment has no PyTorch"
    alone = Interpreter("p", (), frozenset({"torch"}))
    assert alone.api == "torch" and plan(told, alone).job["api"] == "torch"
    keras = claim("layers.Conv2D(32, 11)(keras.Input((8, 8, 3)))")
    assert plan(keras, alone).reason == "the environment has no Keras"


def test_settings_of_devices_are_claimed_in_their_order_and_for_a_gpu() -> None:
    found = claim("""
        x = tf.zeros(3)
        for gpu in tf.config.list_physical_devices("GPU"):
            tf.config.experimental.set_memory_growth(gpu, True)
        """)
    assert (found.kind, dict(found.facts)["acts"]) == ("devices", ["use", "growth"])
    assert plan(found, HERE).reason == "only a GPU shows it" and plan(found, HERE, "gpu").reason == ""
