"""Every format renders the shared sample report exactly as the golden file says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.text import Text

from cudnnlint import __version__
from cudnnlint.report import DOCUMENTS, formats, renderer
from cudnnlint.report._paths import ROOTS
from cudnnlint.report.model import Report
from cudnnlint.values import Stack
from tests.report.sample import CLEAN, REPORT, SIMPLE, SOURCES

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "report.schema.json"
EXAMPLE = '''\
train.py:14:5: CUD101 empty-feature-map: height and width 3 -> -1 with kernel_size 5, padding "valid"
   |
12 | x = keras.Input((12, 12, 3))            float32[B, 12, 12, 3]
13 | x = layers.MaxPooling2D(4)(x)           float32[B, 3, 3, 3]
14 | x = layers.Conv2D(64, 5)(x)
   |     ^^^^^^^^^^^^^^^^^^^^
   = fails: everywhere, when the model is built: ValueError "Computed output size would be zero or negative"
   = help: padding="same" keeps 3x3; or a kernel_size of at most 3
   = see: cudnnlint rule empty-feature-map

Found 1 error in 1 file.
'''


@pytest.fixture(autouse=True)
def _no_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are relative to the working directory, wherever these tests run."""
    for name in ROOTS:
        monkeypatch.delenv(name, raising=False)


def golden(name: str, text: str) -> None:
    """Compares; CUDNNLINT_BLESS=1 writes instead (read what it wrote)."""
    path = GOLDEN / name
    for key in ("cudnnlint", "semanticVersion"):
        text = text.replace(f'"{key}": "{__version__}"', f'"{key}": "VERSION"')
    if os.environ.get("CUDNNLINT_BLESS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", formats())
def test_sample_report_is_rendered_as_the_golden_file(name: str) -> None:
    golden(f"{name}.txt", renderer(name)(REPORT))


@pytest.mark.parametrize("name", formats())
def test_clean_report_is_rendered_as_the_golden_file(name: str) -> None:
    golden(f"{name}.clean.txt", renderer(name)(CLEAN))


@pytest.mark.parametrize("name", [name for name in formats() if name not in DOCUMENTS])
def test_colour_changes_nothing_but_the_style(name: str) -> None:
    plain = renderer(name)(REPORT)
    coloured = renderer(name)(REPORT, color=True)
    assert "\x1b[" in coloured
    assert [line.rstrip() for line in Text.from_ansi(coloured).plain.splitlines()] == plain.splitlines()


def test_full_is_what_the_documentation_shows() -> None:
    assert renderer("full")(Report.of([SIMPLE], SOURCES, ["train.py"])) == EXAMPLE


def test_quiet_leaves_only_the_findings() -> None:
    assert renderer("concise")(CLEAN, quiet=True) == ""
    assert "Found" not in renderer("full")(REPORT, quiet=True)


def test_json_matches_its_schema() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for report in (REPORT, CLEAN):
        jsonschema.validate(_strict(renderer("json")(report)), schema)


def test_json_columns_select_the_text_that_was_underlined() -> None:
    found = next(finding for finding in _strict(renderer("json")(REPORT))["findings"] if finding["line"] == 14)
    line = SOURCES["train.py"].lines[found["line"] - 1]
    assert line[found["column"] - 1:found["end_column"] - 1] == "layers.Conv2D(64, 5)"


def test_json_counts_lines_of_a_notebook_within_the_cell() -> None:
    found = next(finding for finding in _strict(renderer("json")(REPORT))["findings"] if finding["path"] == "nb.ipynb")
    assert (found["cell"], found["line"], found["column"]) == (3, 2, 5)
    assert (found["trace"][0]["cell"], found["trace"][0]["line"]) == (1, 2)


def test_json_says_which_versions_a_finding_is_about() -> None:
    stack = Stack(keras=(2, 15), source="pyproject.toml")
    report = Report.of([SIMPLE], SOURCES, ["train.py"], stacks={"train.py": stack})
    stacks = _strict(renderer("json")(report))["findings"][0]["stacks"]
    assert (stacks["keras"], stacks["source"]) == ("2.15", "pyproject.toml")


def _strict(text: str) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)
