"""What a finding rests on is told with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings


@pytest.mark.parametrize(("parameter", "use"), [
    ("sizes=[3, 4]", "sizes[0]"), ("sizes={'a': [3]}", "sizes['a'][0]"), ("sizes=(3, 4)", "sizes[0]"),
    ("sizes=3", "sizes")])
def test_what_rests_on_a_default_says_so_whatever_holds_it(tmp_path: Path, parameter: str, use: str) -> None:
    file = tmp_path / "net.py"
    file.write_text(f"import keras\ndef build({parameter}):\n    keras.layers.Dense(-{use})\n")
    found = check([file], Settings()).findings[0]
    assert found.message == "units is -3"
    assert found.assumptions == (f"{parameter.replace('=', ' = ')} (default of build, line 2)",)


def test_an_option_of_a_command_that_nothing_calls_is_told_once(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text("import click, keras\n@click.command()\n@click.option('--w', default=3)\n"
                    "def main(w):\n    keras.layers.Dense(-w)\n")
    assert [finding.assumptions for finding in check([file], Settings()).findings] == [
        ("w = 3 (default of --w, line 3)",)]


@pytest.mark.parametrize("body", [
    "    for _ in range(depth):\n        x = keras.layers.MaxPooling2D()(x)\n",
    "    for pool in [keras.layers.MaxPooling2D() for _ in range(depth)]:\n        x = pool(x)\n",
])
@pytest.mark.parametrize(("size", "told"), [(5, ("depth = 3 (default of build, line 2)",)), (1, ())])
def test_what_only_a_later_turn_meets_rests_on_how_many_there_are(tmp_path: Path, body: str, size: int,
                                                                  told: tuple[str, ...]) -> None:
    file = tmp_path / "net.py"
    file.write_text(f"import keras\ndef build(depth=3):\n    x = keras.Input(({size}, {size}, 3))\n{body}")
    [finding] = check([file], Settings()).findings
    assert finding.rule == "empty-feature-map"
    assert finding.assumptions == told


def test_the_trace_shows_what_made_a_shape_not_what_left_it_alone(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text("import keras\nfrom keras import layers\n\nx = keras.Input((12, 12, 3))\n"
                    "x = layers.Conv2D(8, 3, strides=4)(x)\nx = layers.BatchNormalization()(x)\nx = layers.ReLU()(x)\n"
                    "x = layers.Conv2D(8, 5)(x)\n")
    [finding] = check([file], Settings()).findings
    assert [(label.span.line, label.text) for label in finding.trace] == [
        (4, "float32[B, 12, 12, 3]"), (5, "float32[B, 3, 3, 8]")]


def test_the_steps_of_two_tensors_are_told_in_the_order_they_are_written_in(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text("import keras\nfrom keras import layers\n\na = keras.Input((8, 8, 3))\nb = keras.Input((9, 9, 3))\n"
                    "x = layers.Conv2D(4, 3)(a)\ny = layers.Conv2D(4, 3)(b)\nlayers.Add()([x, y])\n")
    [finding] = check([file], Settings()).findings
    assert [label.span.line for label in finding.trace] == [4, 5, 6, 7]


def test_steps_in_a_function_below_stay_where_they_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("import keras, tensorflow as tf\n\ndef batches(x):\n"
                    "    data = tf.data.Dataset.from_tensor_slices(x)\n    data = data.repeat()\n"
                    "    return data.batch(4)\n\nx = tf.zeros((8, 3))\n"
                    "model = keras.Sequential([keras.layers.Dense(3)])\nmodel.compile('sgd', None)\n"
                    "model.fit(batches(x))\n")
    [finding] = check([file], Settings()).findings
    assert [label.span.line for label in finding.trace] == [8, 4, 5, 6]


@pytest.mark.parametrize(("code", "told"), [
    ("alpha = 0.05\ndef net(f):\n    layers.Conv2D(int(f * alpha), 3)\nnet(16)\n", [(3, "0.05")]),
    ("def net(f):\n    width = f // 32\n    layers.Conv2D(filters=width, kernel_size=3)\nnet(16)\n", [(4, "0")]),
    ("width = 16\nwidth //= 32\nlayers.Conv2D(width, 3)\n", []),
    ("layers.Conv2D(0, 3)\n", []),
])
def test_the_trace_shows_where_a_number_was_given_that_an_argument_is_computed_of(tmp_path: Path, code: str,
                                                                                 told: list[tuple[int, str]]) -> None:
    file = tmp_path / "net.py"
    file.write_text(f"import keras\nfrom keras import layers\n{code}")
    [finding] = check([file], Settings()).findings
    assert finding.message == "filters is 0"
    assert [(label.span.line, label.text) for label in finding.trace] == told
