"""`--fix` and `--diff`, with a finding made for the test: no rule has a safe fix yet."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from cudnnlint.engine import run as engine
from cudnnlint.engine.settings import Settings
from cudnnlint.finding import Applicability, Edit, Finding, Level, Recipe
from cudnnlint.report.model import Report
from cudnnlint.source import Source, Span
from tests.cli.conftest import Run

BUG = "epsilon=-1e-5"
TEXT = f"import keras\nb = keras.layers.BatchNormalization({BUG})\n"


def findings(source: Source) -> list[Finding]:
    """One for each BUG, with a fix that removes the sign."""
    found = []
    for number, line in enumerate(source.lines, 1):
        if (at := line.find(BUG)) >= 0:
            sign = Span(source.path, number, at + 8, number, at + 9)
            fix = Recipe("remove the sign", (Edit(sign, ""),), Applicability.SAFE)
            found.append(Finding(Span(source.path, number, at, number, at + len(BUG)), "epsilon is -1e-05", fix=fix,
                                 rule="negative-batchnorm-epsilon", code="CUD305", level=Level.WARNING))
    return found


@pytest.fixture(autouse=True)
def file(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with one finding, and an engine that finds BUG only."""

    def check(paths: Sequence[str], settings: Settings) -> Report:
        sources = {path: Source.read(path) for path in paths}
        return Report.of([found for source in sources.values() for found in findings(source)], sources, paths)

    monkeypatch.setattr(engine, "check", check)
    path = here / "train.py"
    path.write_text(TEXT)
    return path


def test_fix_changes_the_file_says_so_and_reports_what_is_left(run: Run, file: Path) -> None:
    result = run("check", "--fix", "train.py")
    assert (result.exit_code, result.stdout) == (0, "All checks passed.\n")
    assert result.stderr == "cudnnlint: fixed train.py:2:37: CUD305 negative-batchnorm-epsilon: remove the sign\n"
    assert file.read_text() == TEXT.replace("-1e-5", "1e-5")


def test_without_fix_the_file_stays_and_the_summary_offers_it(run: Run, file: Path) -> None:
    result = run("check", "train.py")
    assert result.exit_code == 1
    assert result.stdout.endswith("Found 1 warning in 1 file.\n1 fixable with --fix.\n")
    assert file.read_text() == TEXT


def test_diff_shows_the_change_and_makes_none(run: Run, file: Path) -> None:
    result = run("check", "--diff", "train.py")
    assert result.exit_code == 1
    assert result.stdout == ("--- train.py\n+++ train.py\n@@ -1,2 +1,2 @@\n import keras\n"
                             "-b = keras.layers.BatchNormalization(epsilon=-1e-5)\n"
                             "+b = keras.layers.BatchNormalization(epsilon=1e-5)\n")
    assert file.read_text() == TEXT


def test_diff_of_nothing_is_empty(run: Run, file: Path) -> None:
    file.write_text("import keras\n")
    result = run("check", "--diff", "train.py")
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_fix_that_brings_its_finding_back_ends(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(paths: Sequence[str], settings: Settings) -> Report:
        source = Source.read(paths[0])
        edit = Edit(Span(source.path, 1, 0, 1, 0), "import os\n")
        fix = Recipe("again", (edit,), Applicability.SAFE)
        return Report.of([Finding(edit.span, "m", fix=fix, rule="r", code="CUD305")], {paths[0]: source}, paths)

    monkeypatch.setattr(engine, "check", check)
    result = run("check", "--fix", "train.py")
    assert result.exit_code == 1
    assert result.stderr.count("fixed") == 10


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_cannot_be_written_is_one_line_and_exit_2(run: Run, file: Path) -> None:
    file.chmod(0o444)
    result = run("check", "--fix", "train.py")
    assert result.exit_code == 2
    assert result.stderr == "cudnnlint: error: train.py: not writable\n"
