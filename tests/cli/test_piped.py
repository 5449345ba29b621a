"""Code from standard input, and paths that lead to no file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import GOOD, Run

TRAINED = """\
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)])
model.compile("adam", "mse")
model.fit(np.zeros((64, 8), "float32"), np.zeros((64, 4), "float32"), batch_size=16)
"""


def test_shapes_of_standard_input(run: Run) -> None:
    result = run("shapes", "-", input=GOOD)
    assert result.exit_code == 0
    assert "Conv2D" in result.output
    assert "stdin.py" in result.output


def test_shapes_call_it_what_they_are_told_to(run: Run, good: str) -> None:
    piped = GOOD.replace("64", "7")
    result = run("shapes", "-", "--stdin-filename", good, "--output-format", "json", input=piped)
    rows = json.loads(result.output)["layers"]
    assert {row["path"] for row in rows} == {good}
    assert [row["output_shape"][-1] for row in rows] == [3, 7]  # not the 64 of the file by that name


def test_annotated_standard_input(run: Run) -> None:
    result = run("shapes", "-", "--annotate", input=GOOD)
    assert "# float32[B, 1, 1, 64]" in result.output


def test_memory_of_standard_input(run: Run) -> None:
    result = run("memory", "-", "--stdin-filename", "train.py", "--output-format", "json", input=TRAINED)
    assert result.exit_code == 0
    assert [fit["path"] for fit in json.loads(result.output)["fits"]] == ["train.py"]


@pytest.mark.parametrize("command", ["shapes", "memory"])
def test_standard_input_beside_files_and_what_cannot_be_parsed(run: Run, good: str, command: str) -> None:
    result = run(command, good, "-", input="import keras\nx = (\n")
    assert result.exit_code == 2
    assert "stdin.py" in result.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("command", ["check", "shapes", "memory"])
def test_a_pipe_that_nobody_writes_to_is_an_error(run: Run, here: Path, command: str) -> None:
    os.mkfifo(here / "pipe.py")
    result = run(command, "pipe.py")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].endswith("pipe.py: not a regular file; - reads standard input")


def test_a_device_is_no_file(run: Run) -> None:
    result = run("check", os.devnull)
    assert result.exit_code == 2
    assert "not a regular file" in result.stderr
