"""The shipped example: what is found in it, and that README shows it as printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cudnnlint.cli.main import program

ROOT = Path(__file__).parents[1]
MISTAKES = {
    "empty-feature-map": "layers.Conv2D(256, 7",
    "removed-argument": "model.fit(",
    "endless-training-data": "model.fit(",
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    return CliRunner().invoke(program, ["--output-format", "concise", "examples/train.py"])


def test_the_example_has_its_mistakes_and_no_other(run: Result) -> None:
    lines = (ROOT / "examples" / "train.py").read_text(encoding="utf-8").splitlines()
    found = {}
    for row in (line for line in run.stdout.splitlines() if line.startswith("examples/")):
        place, _, text = row.partition(": ")
        found[text.split()[1].rstrip(":")] = lines[int(place.split(":")[1]) - 1]
    assert found.keys() == MISTAKES.keys()
    assert [rule for rule, code in MISTAKES.items() if code not in found[rule]] == []
    assert run.exit_code == 1


def test_the_mended_example_is_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(program, ["examples/train_fixed.py"])
    assert (result.exit_code, result.stdout) == (0, "All checks passed.\n")
