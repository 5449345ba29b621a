"""`cudnnlint shapes` says where a program was not followed to its end."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from cudnnlint.interp import machine
from cudnnlint.interp.limits import Limits
from tests.cli.conftest import Run

LONG = """import keras
first = keras.Sequential([keras.Input((8,)), keras.layers.Dense(2)])
""" + "total = 2 * 3 + 4\n" * 200 + """second = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)])
"""


@pytest.mark.parametrize("form", ["full", "json"])
def test_a_file_that_is_not_followed_to_its_end_says_so(run: Run, here: Path, form: str,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "Limits", partial(Limits, steps=500))
    (here / "net.py").write_text(LONG)
    text = run("shapes", "net.py", "--output-format", form).stdout
    if form == "full":
        assert "Dense  net.py:2  [B, 8] -> [B, 2]" in text
        assert text.endswith("net.py: not followed to the end (step limit): layers may be missing\n")
    else:
        told = json.loads(text)
        assert [row["line"] for row in told["layers"]] == [2]
        assert told["not_followed"] == [{"path": "net.py", "line": 1, "reason": "step limit"}]


BRANCHED = """import keras
from keras import layers

def block(x, filters, stride):
    y = layers.Conv2D(filters, 3, stride, "same")(x)
    y = layers.Conv2D(filters, 3, 1, "same")(y)
    y = layers.BatchNormalization()(y)
    if stride == 1:
        return layers.Add()([x, y])
    return layers.AveragePooling2D()(y)

x = keras.Input((64, 64, 16))
for filters, stride in SPEC:
    x = block(x, filters, stride)
"""
"""Every second block halves what it gets."""


def test_what_hangs_on_turns_that_are_not_followed_is_not_known(run: Run, here: Path,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "Limits", partial(Limits, again_turn=10))
    spec = [(16, 1), (16, 1), (16, 2), (32, 2), (32, 1)]
    (here / "net.py").write_text(BRANCHED.replace("SPEC", repr(spec)))
    told = json.loads(run("shapes", "net.py", "--output-format", "json").stdout)["layers"]
    added = [row["output_shape"] for row in told if row["layer"] == "Add"]
    pooled = [row["output_shape"] for row in told if row["layer"] == "AveragePooling2D"]
    assert [None, 64, 64, 16] in added and None in added
    assert all(shape in (None, [None, 64, 64, 16]) for shape in added)
    assert all(shape is None for shape in pooled), pooled


def test_what_was_not_reached_may_be_called_with_other_arguments(run: Run, here: Path,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "Limits", partial(Limits, steps=300))
    (here / "net.py").write_text("""import keras

def net(width=8):
    inputs = keras.Input((width,))
    return keras.Model(inputs, keras.layers.Dense(2 * width)(inputs))

def other(width=4):
    inputs = keras.Input((width,))
    return keras.Model(inputs, keras.layers.Dense(3 * width)(inputs))

model = keras.Sequential()
model.add(keras.Input((8,)))
model.add(keras.layers.Dense(2))
""" + "total = 2 * 3 + 4\n" * 200 + """model.add(keras.layers.Dense(4))
net(16)
""")
    told = json.loads(run("shapes", "net.py", "--output-format", "json").stdout)["layers"]
    assert sorted(row["line"] for row in told if row["layer"] == "Dense") == [9, 13]
    text = run("shapes", "net.py").stdout
    assert "not counted: what makes it is not followed to its end" in text


def test_what_a_constructor_that_calls_itself_makes_has_no_known_parameters(run: Run, here: Path) -> None:
    (here / "net.py").write_text("""import keras

class Tree(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.left = Tree()

    def call(self, x):
        return self.left(x)

Tree()(keras.Input((4,)))
""")
    told = json.loads(run("shapes", "net.py", "--output-format", "json").stdout)["layers"]
    assert {row["params"] for row in told if row["layer"] == "Tree"} == {None}
