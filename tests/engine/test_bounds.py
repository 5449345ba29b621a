"""The bounds of linting: what lies beyond one is said to be beyond it, and is not guessed."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from cudnnlint.engine import registry
from cudnnlint.events import BoundHit, Event, LayerApplied, ModuleFinished
from cudnnlint.interp import analyse
from cudnnlint.interp.limits import for_linting
from cudnnlint.source import Source
from cudnnlint.values import Stack

PROGRAM = """
import keras

def build(width):
    x = inputs = keras.Input((8,))
    for _ in range({depth}):
        x = keras.layers.Dense(width)(x)
    {also}
    return keras.Model(inputs, x)

for width in (4, 5, 6, 7):
    model = build(width)
"""


def widths(depth: int, also: str = "pass") -> tuple[set[str], list[str]]:
    """The shapes that come out of the layers, and the bounds that were hit."""
    registry.load()
    heard: list[Event] = []
    source = Source.from_text("program.py", PROGRAM.format(depth=depth, also=also))
    analyse(source, stack=Stack(), emit=heard.append, limits=for_linting(len(source.lines)))
    shapes = {str(event.output) for event in heard if isinstance(event, LayerApplied)}
    return shapes, [event.what for event in heard if isinstance(event, BoundHit)]


def test_a_loop_over_small_models_is_followed_to_its_end() -> None:
    shapes, bounds = widths(depth=3)
    assert shapes == {f"float32[B, {width}]" for width in (4, 5, 6, 7)} and not bounds


def test_a_loop_over_variants_of_a_large_model_is_given_up_in_the_second() -> None:
    shapes, bounds = widths(depth=150)
    assert "float32[B, 4]" in shapes and "float32[B, 6]" not in shapes
    assert "loop of 4 iterations followed for 1" in bounds


def test_a_variant_of_a_large_model_with_a_layer_of_its_own_is_followed() -> None:
    shapes, _ = widths(depth=150, also="if width == 5:\n        x = keras.layers.Dense(50)(x)")
    assert "float32[B, 50]" in shapes


def test_a_loop_that_would_not_end_within_its_steps_is_not_begun_in_earnest() -> None:
    """Pictures drawn dot by dot, 48 a batch: what follows keeps its steps."""
    registry.load()
    heard: list[Event] = []
    source = Source.from_text("draw.py", """
import random
import numpy as np

def picture():
    image = np.zeros((64, 64, 3))
    for row in range(64):
        for column in range(64):
            if random.random() < 0.1:
                image[row, column, 0] = random.randint(0, 255)
                image[row, column, 1] = random.randint(0, 255)
    return image

batch = []
for _ in range(48):
    batch.append(picture())
""")
    analyse(source, stack=Stack(), emit=heard.append, limits=for_linting(len(source.lines)))
    told = [event.what for event in heard if isinstance(event, BoundHit) and event.span.line == 15]
    assert told == ["loop of 48 iterations followed for 2"]


def test_a_file_brings_so_much_of_a_large_project_and_no_more(tmp_path: Path) -> None:
    registry.load()
    (tmp_path / "small.py").write_text("WIDTH = 3\n")
    (tmp_path / "large.py").write_text("DEPTH = 4\n" + "# filling\n" * 200)
    program = tmp_path / "program.py"
    program.write_text("import keras\nfrom small import WIDTH\nfrom large import DEPTH\n"
                       "a = keras.layers.Dense(WIDTH)(keras.Input((8,)))\n"
                       "b = keras.layers.Dense(DEPTH)(keras.Input((8,)))\n")
    heard: list[Event] = []
    analyse(Source.read(program), stack=Stack(), emit=heard.append, limits=replace(for_linting(5), imported=1 << 10))
    shapes = {str(event.output) for event in heard if isinstance(event, LayerApplied)}
    assert "float32[B, 3]" in shapes and "float32[B, 4]" not in shapes
    assert any("of imported modules" in event.what for event in heard if isinstance(event, BoundHit))


def test_a_tensor_that_comes_from_itself_many_times_is_looked_through_once() -> None:
    """Each turn doubles the ways back to the first array, which are asked for their least and greatest label."""
    registry.load()
    text = ("import numpy as np\nfrom keras.utils import to_categorical\ny = np.array([0, 3])\n"
            "for _ in range(30):\n    y = np.hstack([np.sort(y), y])\n"
            "to_categorical(np.hstack([y, y]), 5)\n")
    started = time.process_time()
    analyse(Source.from_text("labels.py", text), stack=Stack(), emit=lambda event: None)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("table", [
    "[[i / (p + 1) for i in range(384)] for p in range(4096)]", "[[0] * 16000 for _ in range(16000)]",
    "[[0] * 10000] * 10000"])
def test_a_table_of_millions_of_elements_takes_no_time(table: str) -> None:
    registry.load()
    text = f"import keras\nimport numpy as np\nx = np.array({table})\nkeras.layers.Dense(4)(keras.Input((8,)))\n"
    heard: list[Event] = []
    started = time.process_time()
    analyse(Source.from_text("table.py", text), stack=Stack(), emit=heard.append, limits=for_linting(4))
    assert time.process_time() - started < 1
    assert any(isinstance(event, LayerApplied) for event in heard)


def test_functions_that_call_one_another_do_not_take_longer_than_their_lines_are_worth() -> None:
    registry.load()
    text = "import keras\n" + "".join(
        f"def block{i}(x):\n    y = keras.layers.Dense({i + 1})(x)\n    return block{max(0, i - 1)}(y)\n"
        for i in range(600))
    heard: list[Event] = []
    limits = for_linting(text.count("\n"))
    analyse(Source.from_text("generated.py", text), stack=Stack(), emit=heard.append, limits=limits)
    steps = next(event.steps for event in heard if isinstance(event, ModuleFinished))
    assert limits.roots_total < steps < 3 * limits.roots_total
    assert any(event.what.startswith("step limit") for event in heard if isinstance(event, BoundHit))


def test_data_that_are_written_out_leave_the_rest_of_the_file_its_steps() -> None:
    registry.load()
    text = f"import keras\nx = [{', '.join(map(str, range(100_000)))}]\nkeras.layers.Dense(4)(keras.Input((8,)))\n"
    heard: list[Event] = []
    analyse(Source.from_text("data.py", text), stack=Stack(), emit=heard.append, limits=for_linting(3))
    assert any(isinstance(event, LayerApplied) for event in heard)
