"""No handler ever crashes, however a program calls it: without arguments, with odd ones, with some that are unknown."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.frameworks import listing
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.registry import ATTRIBUTES, CALLS

listing.load()

KNOWN = """
import argparse, collections, numpy as np, keras, tensorflow as tf, torch, elsewhere
unknown = elsewhere.value
data = tf.data.Dataset.from_tensor_slices((np.zeros((50, 8, 8, 3)), np.zeros((50, 2)))).batch(8)
image = keras.Input((8, 8, 3))
model = keras.Model(image, keras.layers.Dense(2)(keras.layers.Flatten()(image)))
model.compile("adam", "mse")
stack = keras.Sequential([keras.layers.Dense(3)])
layer, optimizer, tape, loss = keras.layers.Dense(4), keras.optimizers.Adam(), tf.GradientTape(), keras.losses.Hinge()
tensor, array, turned, net = tf.zeros((4, 3)), np.zeros((10, 5)), torch.zeros(4, 3), torch.nn.Linear(3, 4)
images = keras.preprocessing.image.ImageDataGenerator()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(turned), batch_size=3)
parser, queue, counted = argparse.ArgumentParser(), collections.deque(maxlen=3), collections.Counter("abc")
lists, ordered = collections.defaultdict(list), collections.OrderedDict(a=1)
items, table, text, pair, group, number, real = [1, 2], {"a": 1}, "a,b", (1, None), {1, 2}, 5, 2.5

class Own(keras.Model):
    def call(self, x):
        return x

class Net(torch.nn.Module):
    def forward(self, x):
        return x

own, ours = Own(), Net()
"""
RECEIVERS = ("data", "image", "model", "stack", "layer", "optimizer", "tape", "loss", "tensor", "array", "turned",
             "net", "images", "loader", "parser", "queue", "counted", "lists", "ordered", "items", "table", "text",
             "pair", "group", "number", "real", "own", "ours", "Own", "unknown")
GIVEN = ("", "unknown", "None", "'x'", "-1", "10**19", "[]", "{}", "tensor", "array", "data", "model", "lambda: 0",
         "1, 2, 3", "[1, None], (), {'a': 1}", "*unknown", "**unknown", "10**19, 10**19", "tensor, array, turned")
METHODS = sorted({path.rpartition(".")[2] for path in CALLS} | {path.rpartition(".")[2] for path in ATTRIBUTES}
                 | {name for kind in (list, dict, set, str, tuple, int, float, deque) for name in dir(kind)
                    if not name.startswith("_")} - {"*"})
CALLED = sorted(path for path in {*CALLS, *BUILTINS} if all(map(str.isidentifier, path.split("."))))


def batched(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """So many that the functions of a program are all followed."""
    for start in range(0, len(names), 100):
        yield names[start:start + 100]


def crashes(folder: Path, calls: list[str], roots: Iterable[str] = ()) -> list[str]:
    """Those of the calls, each in a function of its own, in which something of ours raises."""
    path = folder / "program.py"
    bodies = (f"def called_{index}():\n    got = {call}\n    return got\n" for index, call in enumerate(calls))
    path.write_text("".join([*(f"import {root}\n" for root in roots), KNOWN, *bodies]))
    lines = path.read_text().splitlines()
    return [f"{lines[finding.span.line - 1].strip()}: {finding.message}"
            for finding in check([path], Settings(select=("ALL",))).findings if finding.rule == "internal-error"]


@pytest.mark.parametrize("given", GIVEN)
def test_whatever_a_function_is_given(tmp_path: Path, given: str) -> None:
    found = []
    for paths in batched(CALLED):
        roots = sorted({path.partition(".")[0] for path in paths if "." in path})
        found += crashes(tmp_path, [f"{path}({given})" for path in paths], roots)
    assert not found


@pytest.mark.parametrize("receiver", RECEIVERS)
def test_whatever_a_method_is_given(tmp_path: Path, receiver: str) -> None:
    found = []
    for names in batched(METHODS):
        for turn in range(3):
            given = [("", "unknown", GIVEN[place % len(GIVEN)])[turn] for place in range(len(names))]
            found += crashes(tmp_path, [f"{receiver}.{name}({those})"
                                        for name, those in zip(names, given, strict=True)])
    assert not found


def test_an_attribute_that_crashes_costs_that_attribute_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ATTRIBUTES, "keras.Sequential._broken", lambda machine, value: {}["nothing"])
    path = tmp_path / "program.py"
    path.write_text("import keras\nx = keras.Sequential()._broken\nkeras.layers.Conv2D(-1, 3)\n")
    first, second = check([path]).findings
    assert (first.rule, first.span.line) == ("internal-error", 2)
    assert first.message.startswith("cudnnlint crashed in attribute _broken: ")
    assert (second.rule, second.span.line) == ("non-positive-argument", 3)
