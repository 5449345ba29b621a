"""Findings put to Keras on JAX and on PyTorch, where these are installed beside the Keras that the tests run with."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from cudnnlint.engine.requirements.environment import site_packages
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Verification
from cudnnlint.source import Source
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.plan import plan
from cudnnlint.verify.run import Limits, verified
from cudnnlint.verify.session import Worker
from cudnnlint.verify.trace import Trace, keep_logs

BACKENDS = ("jax", "torch")
PROFILES = {"tensorflow": "*.xplane.pb", "jax": "*.xplane.pb", "torch": "trace.json"}
PROGRAM = """\
import keras
import numpy as np
from keras import layers

layers.Conv2D(32, 11)(keras.Input((8, 8, 3)))
layers.Dense(10, colour=3)
layers.BatchNormalization(epsilon=0)
model = keras.Sequential([keras.Input((4,)), layers.Dense(10, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(np.zeros((8, 4)), np.zeros((8, 10)))
x = keras.Input((6, 3), batch_size=4)
state = keras.Model(x, layers.Dense(2)(layers.LSTM(5, stateful=True)(x)))
state.compile("adam", "mse")
state.predict(np.zeros((1, 6, 3)), batch_size=1)
"""
SILENT = "import keras\nkeras.layers.Conv2D(32, 3, 3)\n"
NO_VERDICT = Verification("inconclusive")


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_fails_is_confirmed(backend: str) -> None:
    if find_spec("keras") is None or find_spec(backend) is None:
        pytest.skip(f"Keras on {backend} is not installed here")
    found = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert found is not None
    alone = replace(found, found=frozenset({"keras", backend}))
    program = check_source(Source.from_text("m.py", PROGRAM), Settings(keras=version("keras")))
    told: dict[int, Verification | None] = {each.span.line: each.verification for each in verified(program, alone)}
    assert {line: each.verdict for line, each in told.items() if each} == dict.fromkeys(
        (5, 6, 7, 10, 14), "confirmed"), told
    assert all(each is not None and each.backend.startswith("Keras ") and each.device == "CPU"
               for each in told.values())


@pytest.mark.parametrize("backend", PROFILES)
def test_a_job_leaves_its_log_and_a_profile(tmp_path: Path, backend: str) -> None:
    """As on a GPU, where profiles are asked for."""
    if find_spec("keras") is None or find_spec(backend) is None:
        pytest.skip(f"Keras on {backend} is not installed here")
    found = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert found is not None
    alone = replace(found, found=frozenset({"keras", backend}))
    (finding,) = check_source(Source.from_text("m.py", SILENT), Settings(keras=version("keras")))
    (tmp_path / "scratch").mkdir()
    trace = Trace(str(tmp_path / "kept"), backend, "cpu")
    made = plan(finding.claim, alone)
    trace.keep(1, finding, made, NO_VERDICT)
    scratch = str(tmp_path / "scratch")
    worker = Worker(alone, "cpu", scratch, Limits().memory, {"profile": scratch})
    try:
        worker.greet(180)
        reply = worker.ask({**made.job, "id": 1}, 60)
    finally:
        worker.stop()
    keep_logs(scratch, trace.directory)
    assert reply["outcome"] == "ran" and reply["measured"] == {"shape": [2, 10, 10, 32]}, reply
    name = "001-positional-kernel-size"
    (profile,) = (tmp_path / "kept" / f"{name}.profile").rglob(PROFILES[backend])
    assert profile.stat().st_size > 1000
    if backend == "torch":
        events = json.loads(profile.read_text())["traceEvents"]
        assert any("conv" in str(event.get("name")) for event in events)
        assert any(event.get("name") == "[memory]" for event in events)
    assert "no profile" not in (tmp_path / "kept" / f"{name}.log").read_text()
