"""What a run shows where nothing is raised: how it is claimed, and what is made of what was measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Claim, Finding, Level
from cudnnlint.source import Source, Span
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.plan import plan
from cudnnlint.verify.run import Limits, verified
from cudnnlint.verify.verdict import judged

GIB = 1 << 30
HERE = Interpreter("/usr/bin/python3", (), frozenset({"keras", "tensorflow"}))
TRAINED = """\
import keras
import numpy as np
from keras import layers
model = keras.Sequential([keras.Input((64, 64, 3)), layers.Conv2D(64, 3), layers.Flatten(), layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.1, 0.9), "mse", jit_compile=False)
model.fit(np.zeros((320, 64, 64, 3)), np.zeros((320, 1)), batch_size=16)
"""


def claims(code: str, **settings: Any) -> dict[str, Claim]:
    found = check_source(Source.from_text("m.py", code), Settings(**settings))
    return {each.rule: each.claim for each in found if each.claim is not None}


def reply(**measured: Any) -> dict[str, Any]:
    return {"outcome": "ran", "stage": "fit", "seconds": 1.0, "device": "NVIDIA L4", "measured": measured,
            "versions": {"keras": "3.15.1", "tensorflow": "2.21.0"}}


def test_a_step_that_exceeds_the_memory_is_claimed_with_what_is_predicted() -> None:
    claim = claims(TRAINED, gpu="16MiB")["out-of-memory"]
    told = dict(claim.facts)
    assert told["method"] == "train_on_batch" and told["x"] == [{"shape": [16, 64, 64, 3], "dtype": "float32"}]
    assert told["optimizer"] == {"name": "SGD", "arguments": {"learning_rate": 0.1, "momentum": 0.9}}
    assert told["memory"]["usable"] == 16 << 20 and told["memory"]["predicted"] > 16 << 20
    assert plan(claim, HERE).reason == "only a GPU shows it"
    job = plan(claim, HERE, "gpu").job
    assert job["measure"] == ["peak"] and "memory" not in job and "needs" not in job


@pytest.mark.parametrize(("peak", "verdict", "note"), [
    (20.9, "confirmed", "measured peak 20.9 GiB (prediction +2.4 %)"),
    (12.0, "refuted", "measured peak 12.0 GiB (prediction +78.3 %): it fits on a T4")])
def test_a_measured_peak_is_compared_with_the_prediction_and_the_gpu(peak: float, verdict: str, note: str) -> None:
    told = judged(_memory(), {**reply(peak=int(peak * GIB)), "peak_bytes": int(peak * GIB)})
    assert (told.verdict, told.note, told.peak_bytes) == (verdict, note, int(peak * GIB))


def test_memory_that_runs_out_confirms_and_memory_that_is_not_measured_says_nothing() -> None:
    error = {"types": ["ResourceExhaustedError", "OpError"], "text": "OOM when allocating tensor with shape[1]"}
    assert judged(_memory(), {**reply(), "outcome": "raised", "error": error}).verdict == "confirmed"
    assert judged(_memory(), reply(peak=None)).verdict == "inconclusive"


def _memory() -> Claim:
    memory = {"predicted": int(21.4 * GIB), "usable": int(13.4 * GIB), "gpu": "T4"}
    return Claim("fit", (("memory", memory), ("stack", {"keras": [3, 15]}), ("needs", "gpu")))


def test_a_worker_on_a_gpu_is_asked_for_the_peak_of_one_step(tmp_path: Path) -> None:
    """A worker that says that it has a GPU: what it is asked, and what becomes of its answer."""
    answer = ('print(json.dumps({"id": job["id"], "outcome": "ran", "stage": "fit", "seconds": 2.5, "device": '
              '"NVIDIA L4", "measured": {"peak": 3 << 30} if job["measure"] == ["peak"] else {}, '
              '"peak_bytes": 3 << 30, "versions": {"keras": "3.15.1", "tensorflow": "2.21.0"}}), flush=True)')
    path = tmp_path / "python"
    path.write_text(f"#!{sys.executable}\nimport json, sys\n"
                    "assert json.loads(sys.stdin.readline())['device'] == 'gpu'\n"
                    'print(json.dumps({"hello": {"keras": "3.15.1"}, "device": "NVIDIA L4"}), flush=True)\n'
                    f"for line in sys.stdin:\n    job = json.loads(line)\n    {answer}\n")
    path.chmod(0o755)
    claim = claims(TRAINED, gpu="16MiB")["out-of-memory"]
    (found,) = verified([Finding(Span("m.py", 1, 0, 1, 5), "no", claim=claim)],
                        Interpreter(str(path), (), frozenset({"keras", "tensorflow"})), device="gpu",
                        limits=Limits(start=20, job=3, total=60))
    assert found.verification is not None and found.verification.verdict == "confirmed"
    assert found.verification.note.startswith("measured peak 3.00 GiB (prediction -")
    assert found.level is Level.ERROR


def test_a_silent_fault_is_claimed_with_what_a_run_is_to_show() -> None:
    claim = claims("import keras\nkeras.layers.Conv2D(32, 3, 3)")["positional-kernel-size"]
    made = plan(claim, HERE)
    assert made.job["inputs"]["tensor"]["shape"] == [2, 30, 30, 3] and made.job["measure"] == ["shape"]
    assert judged(claim, reply(shape=[2, 10, 10, 32])).verdict == "confirmed"
    other = judged(claim, reply(shape=[2, 28, 28, 32]))
    assert (other.verdict, other.note) == ("refuted", "the output is [2, 28, 28, 32], with an input of [2, 30, 30, 3]")


def test_an_exception_is_not_what_was_to_be_shown() -> None:
    claim = claims("import keras\nkeras.layers.Conv2D(32, 3, 3)")["positional-kernel-size"]
    error = {"types": ["ValueError"], "text": "silently"}
    assert judged(claim, {**reply(), "outcome": "raised", "error": error}).verdict == "different"


def test_what_runs_on_another_library_does_not_refute_what_tensorflow_says() -> None:
    claim = Claim("layer", (("expected", [{"error": "InvalidArgumentError", "texts": []}]),
                            ("stack", {"keras": [3, 15]})))
    told = judged(claim, {**reply(), "versions": {"keras": "3.15.1", "jax": "0.10.2"}})
    assert (told.verdict, told.note) == ("inconclusive", "it is about TensorFlow, this is Keras 3.15.1 on JAX 0.10.2")


def test_what_only_tensorflow_has_is_not_put_to_other_libraries() -> None:
    alone = Interpreter("p", (), frozenset({"keras", "jax"}))
    claim = Claim("function", (("function", "tensorflow.concat"), ("args", []), ("kwargs", {})))
    assert plan(claim, alone).reason == "the environment has no TensorFlow"
    assert plan(claim, HERE).reason == ""


def test_another_release_of_pytorch_may_confirm_but_not_refute() -> None:
    claim = Claim("layer", (("layer", "torch.nn.Linear"), ("stack", {"keras": [3, 15], "torch": [2, 6]}),
                            ("expected", [{"error": "ValueError", "texts": []}])))
    told = judged(claim, {**reply(), "versions": {"torch": "2.13.0"}})
    assert (told.verdict, told.note) == ("inconclusive",
                                         "it is about PyTorch 2.6, this is PyTorch 2.13.0: --torch 2.13 judges for it")
