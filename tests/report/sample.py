"""One report with every situation that a format must cope with."""

from __future__ import annotations

from dataclasses import replace

from cudnnlint.finding import Applicability, Claim, Edit, Finding, Label, Level, Recipe, Verification
from cudnnlint.report.model import Report, RulePage
from cudnnlint.source import Source, Span
from cudnnlint.values import Stack

TRAIN = """\
import argparse
import keras
from keras import layers

import blocks

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()


x = keras.Input((12, 12, 3))
x = layers.MaxPooling2D(4)(x)
x = layers.Conv2D(64, 5)(x)
x = blocks.tail(
    x,
    5)
for _ in range(6):
    x = layers.MaxPooling2D(2)(x)
y = layers.BatchNormalization(epsilon=-1e-5)(x)
z = layers.Conv2D(
    filters=0,
    kernel_size=3,
    strides=1,
    padding="same",
    activation="relu",
)(y)
"""

BLOCKS = """\
from keras import layers

KERNEL = 7


def tail(x, size):
    x = layers.Cropping2D(1)(x)
    return layers.AveragePooling2D(KERNEL)(x)
"""

WIDE = (
    "from keras import layers\n"
    '名前 = "層"\n'
    "if True:\n"
    '\t層 = layers.Dense(units=0, name="畳み込み" + 名前)\n'
    "config = dict(" + ", ".join(f"option_{i}={i}" for i in range(12)) + ", layer=layers.Dense(-1), "
    + ", ".join(f"other_{i}={i}" for i in range(12)) + ")\n"
)

NOTEBOOK = """{
 "nbformat": 4, "nbformat_minor": 5, "metadata": {},
 "cells": [
  {"cell_type": "code", "id": "a", "execution_count": null, "outputs": [], "metadata": {},
   "source": ["import keras\\n", "x = keras.Input((8,))"]},
  {"cell_type": "markdown", "id": "b", "metadata": {}, "source": ["# Model"]},
  {"cell_type": "code", "id": "c", "execution_count": null, "outputs": [], "metadata": {},
   "source": ["# the model\\n", "x = keras.layers.Reshape((3, 3))(x)"]}
 ]
}
"""

SOURCES = {
    "train.py": Source.from_text("train.py", TRAIN),
    "blocks.py": Source.from_text("blocks.py", BLOCKS),
    "wide.py": Source.from_text("wide.py", WIDE),
    "nb.ipynb": Source.from_bytes("nb.ipynb", NOTEBOOK.encode()),
}


def at(path: str, text: str) -> Span:
    """The one place of `text` in a file."""
    before, found, after = SOURCES[path].text.partition(text)
    assert found and text not in after, text
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
    end = before + text
    return Span(path, line, column, end.count("\n") + 1, len(end) - end.rfind("\n") - 1)


def _named(code: str, rule: str, level: Level, finding: Finding) -> Finding:
    return replace(finding, code=code, rule=rule, level=level)


INPUT = Label(at("train.py", "keras.Input((12, 12, 3))"), "float32[B, 12, 12, 3]")
POOL = Label(at("train.py", "layers.MaxPooling2D(4)(x)"), "float32[B, 3, 3, 3]")
LOOP = at("train.py", "layers.MaxPooling2D(2)(x)")
LOOPED = tuple(Label(LOOP, f"float32[B, {size}, {size}, 64]") for size in (32, 16, 8, 4, 2))
BATCHNORM = at("train.py", "layers.BatchNormalization(epsilon=-1e-5)")

SIMPLE = _named("CUD101", "empty-feature-map", Level.ERROR, Finding(
    at("train.py", "layers.Conv2D(64, 5)"),
    'height and width 3 -> -1 with kernel_size 5, padding "valid"',
    fails='everywhere, when the model is built: ValueError "Computed output size would be zero or negative"',
    help='padding="same" keeps 3x3; or a kernel_size of at most 3',
    trace=(INPUT, POOL),
    claim=Claim("layer", (("layer", "keras.layers.Conv2D"), ("shape", (None, 3, 3, 3)), ("limit", float("inf")))),
))

ELSEWHERE = _named("CUD101", "empty-feature-map", Level.ERROR, Finding(
    at("blocks.py", "layers.AveragePooling2D(KERNEL)"),
    'height and width 1 -> 0 with pool_size 7, padding "valid"',
    trace=(INPUT, POOL, Label(at("blocks.py", "KERNEL = 7"), "7"),
           Label(at("blocks.py", "layers.Cropping2D(1)(x)"), "float32[B, 1, 1, 3]")),
    calls=(at("train.py", "blocks.tail(\n    x,\n    5)"),),
    also=(LOOP,),
    assumptions=("batch_size = 64 (default of --batch-size, line 8)",),
    verification=Verification("confirmed", "Keras 3.15.1 on TensorFlow 2.21.0", "CPU",
                              (("keras", "3.15.1"), ("tensorflow", "2.21.0")),
                              "ValueError: Computed output size would be zero or negative", 0.12),
))

LOOPING = _named("CUD101", "empty-feature-map", Level.ERROR, Finding(
    LOOP, 'height and width 1 -> 0 with pool_size 2, padding "valid"', trace=(INPUT, *LOOPED)))

LONG = _named("CUD502", "deep-trace", Level.WARNING, Finding(
    Span("train.py", 27, 1, 27, 4), "nine steps led here",
    trace=tuple(Label(Span("train.py", line, 0, line, 3), f"step {i}") for i, line in enumerate(range(2, 20, 2))),
    calls=tuple(Span("train.py", line, 4, line, 9) for line in (12, 13, 14, 15, 18, 19)),
))

FIXABLE = _named("CUD305", "negative-batchnorm-epsilon", Level.WARNING, Finding(
    BATCHNORM, "epsilon is -1e-05",
    fix=Recipe("make epsilon positive",
               (Edit(at("train.py", "-1e-5"), "1e-5"),), Applicability.SAFE),
))

SPREAD = _named("CUD301", "non-positive-argument", Level.ERROR, Finding(
    at("train.py", 'layers.Conv2D(\n    filters=0,\n    kernel_size=3,\n    strides=1,\n    padding="same",\n'
                   '    activation="relu",\n)'),
    "filters is 0",
    fix=Recipe("give filters a positive number", (Edit(at("train.py", "filters=0"), "filters=1"),)),
))

DOUBLE_WIDTH = _named("CUD301", "non-positive-argument", Level.ERROR, Finding(
    at("wide.py", 'layers.Dense(units=0, name="畳み込み" + 名前)'), "units is 0",
    trace=(Label(at("wide.py", '"層"'), "'層'"),),
))

CUT = _named("CUD301", "non-positive-argument", Level.ERROR, Finding(at("wide.py", "layers.Dense(-1)"), "units is -1"))

IN_NOTEBOOK = _named("CUD106", "reshape-size-mismatch", Level.ERROR, Finding(
    at("nb.ipynb", "keras.layers.Reshape((3, 3))"), "8 elements do not fill (3, 3), which has 9",
    trace=(Label(at("nb.ipynb", "keras.Input((8,))"), "float32[B, 8]"),),
))

WITHOUT_SOURCE = _named("CUD901", "syntax-error", Level.INFO, Finding(
    Span("gone.py", 3, 4, 3, 4), "an escape \x1b[31m and\na line end in a message"))

EMPTY_FEATURE_MAP = RulePage("CUD101", "empty-feature-map", Level.ERROR, """\
A layer leaves an axis with no elements.

## Why is this bad?
The window is larger than
what it slides over: {"k": 5}.

## References
* keras/src/ops/operation_utils.py
""")

REPORT = Report.of(
    [SIMPLE, ELSEWHERE, LOOPING, LONG, FIXABLE, SPREAD, DOUBLE_WIDTH, CUT, IN_NOTEBOOK, WITHOUT_SOURCE],
    SOURCES, ["train.py", "blocks.py", "wide.py", "nb.ipynb", "gone.py", "other.py"],
    ["train.py:18: loop left after 64 rounds"],
    {"train.py": Stack(), "wide.py": Stack(keras=(2, 12), tensorflow=(2, 12), cudnn=(8, 6), source="requirements.txt")},
    {"empty-feature-map": EMPTY_FEATURE_MAP},
)

CLEAN = Report.of([], SOURCES, ["train.py"])
