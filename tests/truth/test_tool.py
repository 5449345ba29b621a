"""The truth tool as its users meet it: what it prints, its exit codes, and what it makes of programs that fail."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.devtools.truth import __main__ as tool
from cudnnlint.devtools.truth import verdicts
from cudnnlint.devtools.truth.verdicts import Claims

SCRIPT = """
from __future__ import annotations
import os
import keras
from keras.layers import Dense

0 / 0
é = keras.Sequential([Dense(3), Dense(
    int(os.environ.get("UNITS", "2")))])
y = é(keras.Input((4,)))
if __name__ == "__main__":
    raise OSError("no data")
    model = keras.Sequential([keras.Input((28, 28)), keras.layers.Flatten(), Dense(10)])
    (x, labels), _ = keras.datasets.mnist.load_data()
    model.compile("sgd", "sparse_categorical_crossentropy")
    history = model.fit(x, labels, epochs=1000)
    assert len(history.epoch) == 1 and model.optimizer.iterations == 1
"""
NOTEBOOK = {"nbformat": 4, "metadata": {}, "cells": [
    {"cell_type": "code", "source": "%matplotlib inline\nimport keras\n!pip install keras"},
    {"cell_type": "code", "source": "%%bash\nls"},
    {"cell_type": "code", "source": "  indented = 1"},
    {"cell_type": "code", "source": "%time y = keras.layers.Dense(3)(keras.Input((4,)))"}]}
MODULE = """
import keras

SIZE = 6


def build(units):
    inputs = keras.Input((SIZE,))
    return keras.Model(inputs, keras.layers.Dense(units)(inputs))
"""
needs_keras = pytest.mark.skipif(importlib.util.find_spec("keras") is None or sys.version_info < (3, 11),
                                 reason="needs Keras, and Python 3.11, which tells columns")


def seen(**more: Any) -> dict[str, Any]:
    return {"input_shape": [None, 8], "output_shape": [None, 4], "dtype": "float32", "params": 36, **more}


@needs_keras
def test_a_script_and_a_call_are_run_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text(SCRIPT, encoding="utf-8")
    Path("zoo").mkdir()
    Path("zoo/__init__.py").touch()
    Path("zoo/nets.py").write_text(MODULE)
    Path("endless.py").write_text("import keras\nkeras.layers.Dense(2)(keras.Input((3,)))\nwhile True:\n    pass\n")
    Path("book.ipynb").write_text(json.dumps(NOTEBOOK))
    assert tool.main(["script.py", "endless.py", "book.ipynb", "--call", "zoo.nets:build(SIZE * 2)", "--output-format",
                      "json", "--seconds", "20"]) == 0
    script, endless, book, call = json.loads(capsys.readouterr().out)["programs"]
    assert [each["error"] for each in script["failed"]] == ["ZeroDivisionError: division by zero", "OSError: no data"]
    assert endless["failed"] == [{"line": 3, "end_line": 4, "error": "TimeoutError: takes too long"}]
    assert [site["kind"] for site in endless["sites"]] == ["exact"]
    assert not book["failed"] and [(site["line"], site["kind"]) for site in book["sites"]] == [(7, "exact")]
    kinds = {(site["line"], site["column"]): site["kind"] for site in script["sites"]}
    columns = [(8, 5), (8, 23), (8, 33), (13, 13), (13, 54), (13, 78)]
    assert sorted(kinds) == columns and kinds[columns[0]] == "exact"
    assert {site["layer"]: site["kind"] for site in call["sites"]} == {"Dense": "exact", "Functional": "exact"}
    assert [model["seen"] for model in call["models"]] == [[84]]
    [fit] = script["fits"]
    assert (fit["line"], fit["kind"]) == (16, "exact")
    assert fit["seen"] == [{"method": "fit", "batch": 32, "steps": 1875, "shapes": [[32, 28, 28], [32]],
                            "dtypes": ["uint8", "uint8"], "optimizer": "SGD"}]


LOOP = """
import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam()
for x in tf.data.Dataset.from_tensor_slices(np.zeros((20, 3), "float32")).batch(10):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.weights), model.weights))
layer = keras.layers.Dense(4)
y = layer(keras.Input((8,)))
layer = keras.layers.Dense(
    int("five"))
z = layer(y)
"""


@needs_keras
def test_loops_are_recorded_and_what_failed_is_not_claimed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "loop.py"
    path.write_text(LOOP)
    tool.main([str(path), "--output-format", "json"])
    [program] = json.loads(capsys.readouterr().out)["programs"]
    assert [fit["kind"] for fit in program["fits"]] == ["exact"]
    assert program["fits"][0]["seen"][0]["batch"] == [10]
    assert [(each["line"], each["end_line"]) for each in program["failed"]] == [(14, 15), (16, 16)]
    kinds = {site["line"]: site["kind"] for site in program["sites"]}
    assert kinds[12] != "wrong"


@needs_keras
def test_a_statement_that_failed_is_left_out_with_its_decorators(tmp_path: Path,
                                                                 capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "decorated.py"
    path.write_text("import keras\n\n@nowhere\ndef f():\n    pass\n\nkeras.layers.Dense(2)(keras.Input((3,)))\nf()\n")
    tool.main([str(path), "--output-format", "json"])
    [program] = json.loads(capsys.readouterr().out)["programs"]
    assert [(each["line"], each["end_line"]) for each in program["failed"]] == [(3, 5), (8, 8)]
    assert [site["kind"] for site in program["sites"]] == ["exact"]


def test_what_cannot_be_recorded_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.py"
    path.write_text("import keras\n")
    assert tool.main([str(path), "--python", "/nowhere/python"]) == 2
    assert "/nowhere/python: no such file or directory" in capsys.readouterr().out


def test_a_wrong_claim_ends_with_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                   capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.py"
    path.write_text("import keras\n\nlayer = keras.layers.Dense(4)\ny = layer(keras.Input((8,)))\n")
    site = {"path": str(path), "line": 3, "column": 9, "layer": "Dense", "seen": [seen(output_shape=[None, 5])]}
    found = {"versions": {"keras": "3.12.0", "tensorflow": "2.20.0", "python": "3.11.0"}, "statements": 3,
             "failed": [], "seconds": 1.0, "sites": [site], "models": []}
    monkeypatch.setattr(tool, "record", lambda programs, **options: {programs[0].name: found})
    assert tool.main([str(path)]) == 1
    printed = capsys.readouterr().out
    assert "wrong   " in printed and "inferred: [?, 8] -> [?, 4] float32, params 36" in printed
    assert "sites 1: exact 0 (0.0 %), partial 0 (0.0 %), missed 0 (0.0 %), wrong 1 (100.0 %)" in printed


@pytest.mark.parametrize(("recorded", "claimed", "kind"), [
    ([seen()], [seen()], "exact"),
    ([seen(), seen(output_shape=[None, 2, 4])], [seen()], "partial"),
    ([seen()], [seen(output_shape=[None, None], params=None)], "missed"),
    ([seen()], [], "missed"),
    ([seen()], [seen(dtype=None)], "missed"),
    ([seen()], [seen(), seen(output_shape=[None, 9])], "wrong"),
    ([seen()], [seen(output_shape=[2, 4])], "wrong"),
    ([seen(raw_output_shapes=[[2, 4]], raw_input_shapes=[[2, 8]])], [seen(output_shape=[2, 4])], "exact"),
    ([seen()], [seen(dtype="float16")], "wrong"),
    ([seen()], [seen(params=35)], "wrong"),
    ([seen()], [seen(input_shape=[None, 7])], "wrong"),
    ([seen(input_shape=[[None, 8], [None, 3]])], [seen()], "exact"),
])
def test_places_are_judged_by_all_that_was_seen_there(recorded: list[Any], claimed: list[Any], kind: str) -> None:
    assert verdicts.site_kind(recorded, claimed) == kind


@pytest.mark.parametrize(("counts", "claimed", "kinds"), [
    ([36], {36}, ["equal"]), ([36, 40], {36}, ["unknown"]), ([36], {None}, ["unknown"]), ([36], {36, 35}, ["wrong"]),
    ([None], {36}, []), ([36, None], {36, 35}, ["equal"])])
def test_models_are_judged_by_their_parameters(counts: list[Any], claimed: set[Any], kinds: list[str]) -> None:
    model = {"path": "/a.py", "line": 3, "column": 1, "layer": "Functional", "params": counts}
    found = verdicts.on_models([model], Claims([], {("/a.py", 3, 1): claimed}))
    assert [verdict.kind for verdict in found] == kinds
