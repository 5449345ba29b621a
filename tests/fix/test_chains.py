"""Fixes that uncover the next error: kept with the fixes of what they uncover, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fix.repairing import repair_of, text_after

HEAD = "import keras\nfrom keras import layers\n\nx = keras.Input((10, 10, 3))\n"
OPEN_END = "y = layers.Conv2D(8, 11)(x)\nz = layers.Reshape((7,))(y)\n"


@pytest.mark.parametrize(("before", "expected"), [
    ("y = layers.Conv2D(8, 11)(x)\nz = layers.Conv2D(8, 12)(y)\n",
     "y = layers.Conv2D(8, 11, padding=\"same\")(x)\nz = layers.Conv2D(8, 12, padding=\"same\")(y)\n"),
    ("for kernel in (11, 3):\n    x = layers.Conv2D(8, kernel)(x)\n",
     "for kernel in (11, 3):\n    x = layers.Conv2D(8, kernel, padding=\"same\")(x)\n"),
    (OPEN_END, OPEN_END),
])
def test_a_chain_is_fixed_to_its_end_or_left_alone(tmp_path: Path, before: str, expected: str) -> None:
    path = tmp_path / "net.py"
    path.write_text(HEAD + before)
    done = repair_of(path)
    assert text_after(path, done) == HEAD + expected
    assert bool(done.fixed) is (before != expected)


def test_what_cannot_be_fixed_to_its_end_says_why(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(HEAD + OPEN_END)
    (finding, why), = repair_of(path).dropped
    assert finding.rule == "empty-feature-map"
    assert why.startswith("it would bring reshape-size-mismatch in line 6")


def test_fixes_that_undo_each_other_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("import keras\n\n"
                    "(x, y), (x_test, y_test) = keras.datasets.mnist.load_data()\n"
                    "net = keras.Sequential([keras.Input((28, 28)), keras.layers.Flatten(),\n"
                    "                        keras.layers.Dense(10, activation='softmax')])\n"
                    "net.compile('sgd', 'sparse_categorical_crossentropy')\n"
                    "net.fit(x, keras.utils.to_categorical(y, 10), batch_size=32)\n"
                    "net.evaluate(x_test, y_test)\n")
    done = repair_of(path)
    assert not done.fixed and not done.files
    (finding, why), = done.dropped
    assert (finding.rule, finding.span.line) == ("label-shape-mismatch", 7)
    assert why.startswith("it would bring label-shape-mismatch in line 8")
