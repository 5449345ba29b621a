"""Whole models of findings, built again and run by the Keras that the tests run with."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from cudnnlint.engine.claims.graph import declared, graph
from cudnnlint.engine.dispatch import Dispatcher
from cudnnlint.engine.requirements.environment import site_packages
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.events import Event, ModelBuilt, tensors
from cudnnlint.finding import Claim, Finding
from cudnnlint.source import Source, Span
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.run import verified

if find_spec("keras") is None or find_spec("tensorflow") is None:
    pytest.skip("the real library is asked", allow_module_level=True)

ROOT = Path(__file__).parents[2]
SETTINGS = Settings(keras=version("keras"), tensorflow=version("tensorflow"))
PROGRAM = """\
import keras
import numpy as np, tensorflow as tf
from keras import layers

class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.one, self.two = layers.Dense(8), layers.BatchNormalization()
    def call(self, x, training=None):
        return tf.nn.relu(self.two(self.one(x), training=training)) + x

x = keras.Input((6, 8), batch_size=4)
y = layers.Concatenate()(layers.LSTM(5, stateful=True, return_state=True)(layers.Masking()(Block()(x))))
model = keras.Model(x, layers.Dense(2)(y))
model.compile("adam", "mse")
model.fit(np.zeros((10, 6, 8)), np.zeros((10, 2)), batch_size=4)
model.predict(np.zeros((1, 6, 8)), batch_size=1)
with tf.distribute.MirroredStrategy(["GPU:0", "GPU:1", "GPU:2"]).scope():
    spread = keras.Sequential([keras.Input((6, 8)), layers.Conv1D(4, 3)])
    spread.compile("sgd", "mse")
spread.fit(np.zeros((9, 6, 8)), np.zeros((9, 4, 4)), batch_size=4)
spread.fit(np.zeros((9, 6, 8)), np.zeros((9, 4, 4)), batch_size=3, workers=2)
tf.reduce_mean(np.zeros((3, 4)), keep_dims=True)
alone = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
with tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"]).scope():
    alone.compile("adam", "mse")
    alone.fit(np.zeros((8, 4)), np.zeros((8, 1)))
keras.Sequential([keras.Input((4,)), layers.Dense(1)]).compile("sgd", "mse", optimiser=1)
fed = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
fed.compile("sgd", "mse")
fed.fit(tf.data.Dataset.from_tensor_slices(np.zeros((8, 4))).batch(2))
keras.mixed_precision.set_global_policy("mixed_float16")
left, right = keras.Input((6, 8), batch_size=4), keras.Input((3,), batch_size=4)
both = layers.Concatenate()([layers.GRU(5, stateful=True, return_sequences=True)(left)[:, 0], layers.Dense(2)(right)])
several = keras.Model([left, right], [layers.Dense(1)(both), layers.Dense(3)(both)])
several.compile("adam", ["mse", "mae"])
several.fit([np.zeros((10, 6, 8)), np.zeros((10, 3))], [np.zeros((10, 1)), np.zeros((10, 3))], batch_size=4)
"""
PROGRAMS = ("multi_input", "seq2seq", "transformer", "two_headed", "siamese", "recurrent_cells", "unet",
            "half_precision", "mobile_blocks", "by_name", "operations")


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Finding]:
    """By line, and two lies made of them: as many rows as are right."""
    found = {f"{each.span.line}": each for each in check_source(Source.from_text("m.py", PROGRAM), SETTINGS)}
    assert dict(found["37"].claim.facts)["policy"] == "mixed_float16"  # type: ignore[union-attr]
    found |= {f"even {line}": _with_rows(found[line], rows) for line, rows in (("16", 8), ("21", 9))}
    interpreter = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert interpreter is not None
    return dict(zip(found, verified(list(found.values()), interpreter), strict=True))


def _with_rows(finding: Finding, rows: int) -> Finding:
    assert finding.claim is not None
    facts = dict(finding.claim.facts)
    for name in ("x", "y"):
        facts[name] = [{**each, "shape": [rows, *each["shape"][1:]]} for each in facts[name]]
    facts["arguments"] = {"batch_size": min(rows, 4) if rows == 8 else 3}
    return replace(finding, claim=Claim(finding.claim.kind, tuple(facts.items())))


@pytest.mark.parametrize("line", ["16", "17", "21", "22", "23", "24", "28", "31", "37"])
def test_what_fails_is_confirmed(verdicts: dict[str, Finding], line: str) -> None:
    told = verdicts[line].verification
    assert told is not None and told.verdict == "confirmed", told


@pytest.mark.parametrize("name", ["even 16", "even 21"])
def test_what_runs_is_refuted(verdicts: dict[str, Finding], name: str) -> None:
    told = verdicts[name].verification
    assert told is not None and told.verdict == "refuted", told


def test_an_error_out_of_a_graph_is_told_without_where_its_node_was_made(verdicts: dict[str, Finding]) -> None:
    if version("keras").startswith(("3.12.", "3.13.")):
        pytest.skip("this Keras stops before the node runs")
    told = verdicts["16"].verification
    assert told is not None and told.error.startswith("InvalidArgumentError: Incompatible shapes: [2,"), told


def _run(event: ModelBuilt) -> Claim:
    """The model on two rows of zeros."""
    inputs = tensors(event.applied.inputs)
    built, _ = graph(tensors(event.applied.output), inputs)
    told = [declared(each) for each in inputs]
    rows = [{**each, "shape": [2, *(dim or 32 for dim in each["shape"][1:])]} for each in told]
    facts = {"method": "predict_on_batch", "graph": built, "inputs": told, "x": rows, "losses": None, "arguments": {},
             "stack": {"keras": list(event.stack.keras)}, "expected": [{"error": "", "texts": [""]}]}
    return Claim("fit", tuple(facts.items()))


def test_models_of_programs_run_when_they_are_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    claims: list[tuple[str, Claim]] = []
    emit = Dispatcher.emit

    def noted(self: Dispatcher, event: Event) -> None:
        if isinstance(event, ModelBuilt):
            claims.append((event.span.path, _run(event)))
        emit(self, event)

    monkeypatch.setattr(Dispatcher, "emit", noted)
    for name in PROGRAMS:
        program = ROOT / "tests" / "truth" / "programs" / f"{name}.py"
        check_source(Source.from_text(name, program.read_text()), SETTINGS)
    assert {name for name, _ in claims} == set(PROGRAMS)
    interpreter = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert interpreter is not None
    told = verified([Finding(Span(name, 1, 0, 1, 1), "no", claim=claim) for name, claim in claims], interpreter)
    assert [(each.span.path, each.verification) for each in told
            if each.verification is None or each.verification.verdict != "refuted"] == []
