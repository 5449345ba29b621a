"""Silent faults, and the memory of a step, measured with the Keras that the tests run with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec

import pytest

from cudnnlint.engine.requirements.environment import site_packages
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Claim, Finding, Verification
from cudnnlint.source import Source, Span
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.plan import plan
from cudnnlint.verify.run import verified
from cudnnlint.verify.session import WORKER

if find_spec("keras") is None or find_spec("tensorflow") is None:
    pytest.skip("the real library is asked", allow_module_level=True)

SETTINGS = Settings(keras=version("keras"), tensorflow=version("tensorflow"))
PROGRAM = """\
import keras, numpy as np, tensorflow as tf
from keras import layers

layers.Conv2D(32, 5, 5)
layers.BatchNormalization(epsilon=0)
layers.BatchNormalization()(tf.zeros((1, 8)), training=True)
layers.BatchNormalization(axis=1)(layers.Conv2D(8, 3)(keras.Input((32, 32, 3))))
model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(tf.data.Dataset.from_tensor_slices((np.zeros((8, 4)), np.zeros((8, 1)))).batch(16, drop_remainder=True))
model.fit(tf.data.Dataset.from_tensor_slices((np.zeros((8, 4)), np.zeros((8, 1)))).batch(4), steps_per_epoch=9)
keras.optimizers.SGD(0.1, decay=1e-6)
step = tf.function(lambda x, k: x * k)
for i in range(100):
    step(tf.zeros(3), i)
keras.config.set_dtype_policy("float16")
half = keras.Sequential([keras.Input((16,)), layers.Dense(1)])
half.compile(keras.optimizers.Adam(1e-3), "mse")
for width in range(1, 31):
    trial = keras.Sequential([keras.Input((4,)), layers.Dense(width)])
    trial.compile("sgd", "mse")
    trial.fit(np.zeros((8, 4)), np.zeros((8, width)))
x = tf.compat.v1.placeholder(tf.float32, ())
with tf.compat.v1.Session() as session:
    for i in range(1000):
        session.run(tf.multiply(x, 2.0), {x: i})
"""
SHOWN = {4: "the output is [2, 10, 10, 32]", 5: "NaN or infinity", 6: "the largest output is 0",
         7: "weights of shape [30]", 10: "it ran 0 steps", 11: 'it warns "Your input ran out of data"',
         12: 'it warns "decay"', 15: "3 traces", 26: "3 operations more for each turn"}


@pytest.fixture(scope="module")
def found() -> dict[int, Verification]:
    interpreter = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert interpreter is not None
    told = verified(check_source(Source.from_text("m.py", PROGRAM), SETTINGS), interpreter)
    return {each.span.line: each.verification for each in told if each.verification is not None}


@pytest.mark.parametrize("line", SHOWN)
def test_silent_faults_show(found: dict[int, Verification], line: int) -> None:
    assert found[line].verdict == "confirmed" and found[line].note.startswith(SHOWN[line]), found[line]


def test_an_epsilon_that_underflows_shows_in_a_few_steps(found: dict[int, Verification]) -> None:
    assert found[18].verdict == "confirmed" and "learning rates" in found[18].note, found[18]


def test_models_that_are_made_anew_leave_memory_behind(found: dict[int, Verification]) -> None:
    assert found[20].verdict == "confirmed" and "more for each, with models of one layer" in found[20].note, found[20]


MEMORY = """\
import keras
import numpy as np
from keras import layers
model = keras.Sequential([keras.Input((1024,)), layers.Dense(2048), layers.Dense(2048), layers.Dense(1)])
model.compile("adam", "mse", jit_compile=False)
model.fit(np.zeros((4096, 1024)), np.zeros((4096, 1)), batch_size=1024)
"""


def test_a_peak_is_measured_as_a_gpu_measures_it_and_is_near_the_prediction() -> None:
    """On a CPU, with the allocator that GPUs have; of layers whose kernels take no memory of their own there."""
    (finding,) = check_source(Source.from_text("m.py", MEMORY), Settings(gpu="16MiB", keras=SETTINGS.keras,
                                                                          tensorflow=SETTINGS.tensorflow))
    interpreter = Interpreter("p", (), frozenset({"keras", "tensorflow"}))
    job = plan(finding.claim, interpreter, "gpu").job
    script = (f"import sys, json\nsys.path.insert(0, {str(WORKER.parent)!r})\nimport serve\n"
              "serve.by_hand({**json.loads(sys.stdin.read()), 'id': 1}, 'tensorflow', 'cpu')\n")
    ran = subprocess.run([sys.executable, "-c", script], input=json.dumps(job), capture_output=True, text=True,
                         timeout=300, env={**os.environ, "TF_CPU_ALLOCATOR_USE_BFC": "1", "KERAS_BACKEND": "tensorflow",
                                           "TF_ENABLE_ONEDNN_OPTS": "0"}, check=True)
    told = json.loads(ran.stdout[ran.stdout.index("{"):])
    assert told["outcome"] == "ran", told
    assert finding.claim is not None
    predicted = dict(finding.claim.facts)["memory"]["predicted"]
    assert 0.75 < told["measured"]["peak"] / predicted < 1.25, (told, predicted)


def test_a_worker_has_not_taken_the_devices_before_a_job_does() -> None:
    """On a CPU, whose logical devices are set up as those of a GPU are."""
    interpreter = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert interpreter is not None
    expected = [{"error": "RuntimeError", "texts": ["Virtual devices cannot be modified after being initialized"]}]
    claims = [Claim("devices", (("acts", acts), ("gpus", count), ("expected", expected)))
              for acts, count in ((["use", "limit"], 1), (["limit", "use"], 1), (["use", "limit"], 1), (["use"], 2))]
    claims.append(Claim("devices", (("acts", ["use", "hide"]), ("gpus", 1), ("expected", [
        {"error": "RuntimeError", "texts": ["Visible devices cannot be modified after being initialized"]}]))))
    told = verified([Finding(Span(f"{number}.py", 1, 0, 1, 1), "no", claim=claim)
                     for number, claim in enumerate(claims)], interpreter)
    assert [(each.verification.verdict, each.verification.note) for each in told if each.verification] == [
        ("confirmed", ""), ("refuted", ""), ("confirmed", ""), ("not verifiable", "it needs 2 GPUs, there is 1"),
        ("confirmed", "")]
