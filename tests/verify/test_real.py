"""Findings put to the Keras that the tests run with."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from cudnnlint.cli.main import program
from cudnnlint.engine.requirements.environment import site_packages
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Claim, Finding
from cudnnlint.source import Source
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.run import verified

if find_spec("keras") is None or find_spec("tensorflow") is None:
    pytest.skip("the real library is asked", allow_module_level=True)

SETTINGS = Settings(keras=version("keras"), tensorflow=version("tensorflow"))
PROGRAM = """\
import keras
import numpy as np, tensorflow as tf
from keras import layers

x = keras.Input((8, 8, 3))
layers.Conv2D(32, 11)(x)
layers.Dense(10, colour=3)
layers.Conv2D(32, 3, strides=2, dilation_rate=2)
shared = layers.Conv2D(16, 3)
shared(x)
shared(keras.Input((8, 8, 1)))
layers.Add()([tf.zeros((3, 4)), tf.zeros((3, 5))])
layers.LSTM(4)(x)
tf.concat([tf.zeros((3, 4)), tf.zeros((3, 5))], axis=0)
tf.zeros((3, 4)) + tf.zeros((3, 5))
model = keras.Sequential([keras.Input((4,)), layers.Dense(10, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(tf.zeros((8, 4)), tf.zeros((8, 10)))
model.fit(tf.zeros((8, 4)), np.random.randint(0, 13, size=8))
model(tf.zeros((8, 5)))
model.fit(tf.data.Dataset.from_tensor_slices((np.zeros((8, 4)), np.zeros((8,)))))
keras.losses.CategoricalCrossentropy()(tf.zeros((3, 4)), tf.zeros((3, 5)))
tf.placeholder(tf.float32, (None, 3))
tf.data.Dataset.range(4).batch(0)
layers.Conv2D(4, 3)(tf.zeros((1, 8, 8, 3), tf.uint8))
keras.applications.InceptionV3(weights=None, input_shape=(32, 32, 3), include_top=False)
"""


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    found = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def verdicts(interpreter: Interpreter) -> dict[str, Finding]:
    """By name of the finding: those of the program, and lies made of them."""
    found = {f"{each.span.line}": each for each in check_source(Source.from_text("m.py", PROGRAM), SETTINGS)}
    fits = {"tensor": {"shape": [None, 32, 32, 3], "dtype": "float32", "symbolic": True}}
    found |= {"fits": _changed(found["6"], inputs=fits), "words": _changed(found["7"], expected=[
        {"error": "TypeError", "texts": ["must be a colour"]}]),
        "there": _changed(found["23"], name="tensorflow.zeros"), "outside": _changed(found["23"], name="os.system"),
        "write": _changed(found["14"], function="tensorflow.io.write_file"),
        "import": _changed(found["6"], arguments={"filters": 3, "kernel_size": 3, "activation": {"dict": [
            ["module", "os"], ["class_name", "function"], ["config", "abort"], ["registered_name", "abort"]]}}),
        "file": _changed(found["6"], layer="keras.layers.TFSMLayer"),
        "shell": _changed(found["6"], layer="keras.layers.__class__.__init__")}
    return dict(zip(found, verified(list(found.values()), interpreter), strict=True))


def _changed(finding: Finding, **facts: object) -> Finding:
    assert finding.claim is not None
    return replace(finding, claim=Claim(finding.claim.kind, tuple((dict(finding.claim.facts) | facts).items())))


@pytest.mark.parametrize("line", ["6", "7", "8", "11", "12", "13", "14", "15", "18", "19", "20", "21", "22", "23", "24",
                                  "25", "26"])
def test_what_fails_is_confirmed(verdicts: dict[str, Finding], line: str) -> None:
    told = verdicts[line].verification
    assert told is not None and told.verdict == "confirmed", told
    assert told.backend.startswith("Keras ") and told.device == "CPU" and told.seconds is not None


@pytest.mark.parametrize(("name", "verdict"), [("fits", "refuted"), ("words", "different"),
                                               ("file", "not verifiable"),
                                               ("import", "not verifiable"),
                                               ("there", "refuted"), ("outside", "not verifiable"),
                                               ("write", "not verifiable"),
                                               ("shell", "not verifiable")])
def test_what_is_wrong_is_not(verdicts: dict[str, Finding], name: str, verdict: str) -> None:
    told = verdicts[name].verification
    assert told is not None and told.verdict == verdict, told


def test_the_command_line_tells_keeps_and_counts_only_what_is_confirmed(tmp_path: Path,
                                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'a"""b.py').write_text(PROGRAM + "layers.Conv2D(3, 9, activation=lambda x: x)(x)\n")
    done = CliRunner().invoke(program, ["--isolated", "--verify", "cpu", "--verify-python", sys.prefix, "--trace-dir",
                                        "kept", "--confirmed-only", "--output-format", "json", "--keras",
                                        SETTINGS.keras, "--tensorflow", SETTINGS.tensorflow])
    assert done.exit_code == 1, done.output
    found = json.loads(done.stdout)["findings"]
    assert {each["verification"]["verdict"] for each in found} == {"confirmed"}
    assert 27 not in [each["line"] for each in found] and len(found) == 17
    kept = tmp_path / "kept" / "001-empty-feature-map.py"
    ran = subprocess.run([sys.executable, str(kept)], capture_output=True, text=True, check=True, timeout=300)
    assert '"outcome": "raised"' in ran.stdout and 'a"""b.py:6' in ran.stdout
    assert "job 1" in (tmp_path / "kept" / "worker.log").read_text()
