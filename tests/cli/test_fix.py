"""`--fix`, `--unsafe-fixes`, `--fix-only` and `--diff`: first with a finding made for the test, then with rules."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.engine import run as engine
from cudnnlint.engine.settings.declared import Settings
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


@pytest.fixture
def file(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with one finding, and an engine that finds BUG only."""

    def check(paths: Sequence[str], settings: Settings, *, cached: bool) -> Report:
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
    assert result.stdout.endswith("Found 1 warning in 1 file.\n[*] 1 fixable with --fix.\n")
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


def test_a_fix_that_repairs_nothing_is_not_kept(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(paths: Sequence[str], settings: Settings, *, cached: bool) -> Report:
        source = Source.read(paths[0])
        edit = Edit(Span(source.path, 1, 0, 1, 0), "import os\n")
        fix = Recipe("again", (edit,), Applicability.SAFE)
        return Report.of([Finding(edit.span, "m", fix=fix, rule="r", code="CUD305")], {paths[0]: source}, paths)

    monkeypatch.setattr(engine, "check", check)
    result = run("check", "--fix", "train.py")
    assert result.exit_code == 1
    assert result.stderr == "cudnnlint: not fixed train.py:1:1: CUD305 r: again: it would change nothing\n"
    assert file.read_text() == TEXT


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_cannot_be_written_is_one_line_and_exit_2(run: Run, file: Path) -> None:
    file.chmod(0o444)
    result = run("check", "--fix", "train.py")
    assert result.exit_code == 2
    assert result.stderr == "cudnnlint: error: train.py: not writable\n"


OLD = """\
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((4,)), layers.Dense(units=1, W_regularizer=None)])  # old
model.compile(keras.optimizers.Adam(lr=1e-3), "mse")
model.fit(np.zeros((64, 4)), np.zeros((64, 1)), nb_epoch=2, workers=4)
"""
NEW = OLD.replace("W_reg", "kernel_reg").replace("lr=", "learning_rate=").replace("nb_epoch", "epochs")


def test_what_is_safe_is_fixed_and_what_is_not_is_offered(run: Run, here: Path) -> None:
    (here / "old.py").write_text(OLD)
    before = run("check", "old.py")
    assert before.stdout.endswith("[*] 3 fixable with --fix, 1 more with --unsafe-fixes.\n")
    assert before.stdout.count(" [*]\n") == 3
    result = run("check", "--fix", "old.py")
    assert (here / "old.py").read_text() == NEW
    assert result.stdout.endswith("Found 1 error in 1 file.\n1 fixable with --fix --unsafe-fixes.\n")
    assert result.stderr.count("cudnnlint: fixed old.py:") == 3
    again = run("check", "--fix", "old.py")
    assert "fixed" not in again.stderr
    assert (here / "old.py").read_text() == NEW


def test_unsafe_fixes_are_asked_for(run: Run, here: Path) -> None:
    (here / "old.py").write_text(OLD)
    result = run("check", "--fix", "--unsafe-fixes", "old.py")
    assert (result.exit_code, result.stdout) == (0, "All checks passed.\n")
    assert (here / "old.py").read_text() == NEW.replace(", workers=4", "")


def test_unsafe_fixes_alone_change_nothing(run: Run, here: Path) -> None:
    (here / "old.py").write_text(OLD)
    assert run("check", "--unsafe-fixes", "old.py").exit_code == 1
    assert (here / "old.py").read_text() == OLD


def test_fix_only_says_nothing_of_what_is_left(run: Run, here: Path) -> None:
    (here / "old.py").write_text(OLD)
    result = run("check", "--fix-only", "old.py")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (here / "old.py").read_text() == NEW


def test_the_diff_holds_all_rounds_and_obeys_unsafe_fixes(run: Run, here: Path) -> None:
    (here / "old.py").write_text(OLD)
    safe, all_of_them = (run("check", "--diff", *more, "old.py").stdout for more in ((), ("--unsafe-fixes",)))
    assert "+model.fit(np.zeros((64, 4)), np.zeros((64, 1)), epochs=2, workers=4)\n" in safe
    assert "+model.fit(np.zeros((64, 4)), np.zeros((64, 1)), epochs=2)\n" in all_of_them
    assert (here / "old.py").read_text() == OLD


def test_a_diff_without_a_safe_fix_says_that_there_are_others(run: Run, here: Path) -> None:
    (here / "deep.py").write_text("import keras\nx = keras.layers.Conv2D(8, 9)(keras.Input((4, 4, 3)))\n")
    result = run("check", "--diff", "deep.py")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "nothing to change; 1 fixable with --unsafe-fixes" in result.stderr


def test_a_fix_that_brings_another_finding_is_not_kept_and_it_is_said_why(run: Run, here: Path) -> None:
    text = ("from keras import layers\n\nconv = layers.Conv2D(8, 3, border_mode='full')\n"
            "dense = layers.Dense(8, W_regularizer=None)\n")
    (here / "old.py").write_text(text)
    result = run("check", "--fix", "old.py")
    assert (here / "old.py").read_text() == text.replace("W_", "kernel_")
    assert "not fixed old.py:3:8: CUD701 unknown-layer-argument: write padding instead of border_mode: " \
           "it would bring invalid-layer-argument in line 3:" in result.stderr
    assert "border_mode" in result.stdout


BLOCKS = "from keras import layers\n\n\ndef head(x):\n    return layers.Dense(1, bias=False)(x)\n"
TRAIN = "import keras\n\nfrom blocks import head\n\ny = head(keras.Input((4,)))\n"


def test_what_lies_in_a_module_is_fixed_there(run: Run, here: Path) -> None:
    (here / "blocks.py").write_text(BLOCKS)
    (here / "train.py").write_text(TRAIN)
    assert run("check", "--fix", ".").exit_code == 0
    assert "use_bias=False" in (here / "blocks.py").read_text()


def test_a_file_that_is_not_linted_is_not_changed(run: Run, here: Path) -> None:
    (here / "blocks.py").write_text(BLOCKS)
    (here / "train.py").write_text(TRAIN)
    assert run("check", "--fix", "train.py").exit_code == 1
    assert (here / "blocks.py").read_text() == BLOCKS


CELLS: list[dict[str, object]] = [
    {"cell_type": "markdown", "metadata": {}, "source": "Käse \\u00e4"},
    {"outputs": [{"text": ["1\n"]}], "source": ["%%time\n", "from keras import layers\n"], "cell_type": "code"},
    {"cell_type": "code", "source": ["x = = 1"], "metadata": {"z": 1, "a": 2}},
    {"cell_type": "code", "metadata": {}, "source": [
        "layers.Dense(1, bias=False)  # Käse 🧀\n", "layers.LSTM(\n", "    4,\n", "    time_major=False,\n", ")"]}]


@pytest.mark.parametrize(("layout", "encoding"), [
    ({"indent": 1, "ensure_ascii": False}, "utf-8"), ({}, "utf-8"), ({"indent": 4}, "utf-8-sig"),
])
def test_a_notebook_keeps_all_but_the_code_that_is_fixed(run: Run, here: Path, layout: dict[str, Any],
                                                         encoding: str) -> None:
    (here / "nb.ipynb").write_bytes(json.dumps({"cells": CELLS, "nbformat": 4}, **layout).encode(encoding))
    result = run("check", "--fix", "nb.ipynb")
    fixed = [{**cell} for cell in CELLS]
    fixed[3]["source"] = ["layers.Dense(1, use_bias=False)  # Käse 🧀\n", "layers.LSTM(\n", "    4,\n", ")"]
    assert (here / "nb.ipynb").read_bytes() == json.dumps({"cells": fixed, "nbformat": 4}, **layout).encode(encoding)
    assert result.stderr.startswith("cudnnlint: fixed nb.ipynb:cell 4:1:1: CUD701 unknown-layer-argument: ")
    assert "nb.ipynb:cell 3:1:5: CUD901 syntax-error" in result.stdout  # the cell that is no Python stays so


def test_a_diff_of_a_notebook_is_by_cell(run: Run, here: Path) -> None:
    text = json.dumps({"cells": CELLS[:2] + CELLS[3:], "nbformat": 4}, indent=1)
    (here / "nb.ipynb").write_text(text)
    assert run("check", "--diff", "nb.ipynb").stdout == (
        "--- nb.ipynb:cell 3\n+++ nb.ipynb:cell 3\n@@ -1,5 +1,4 @@\n"
        "-layers.Dense(1, bias=False)  # Käse 🧀\n+layers.Dense(1, use_bias=False)  # Käse 🧀\n"
        " layers.LSTM(\n     4,\n-    time_major=False,\n )\n\\ No newline at end of file\n")
    assert (here / "nb.ipynb").read_text() == text


def test_json_carries_the_fix(run: Run, here: Path) -> None:
    (here / "old.py").write_text(OLD)
    document = json.loads(run("check", "--output-format", "json", "old.py").stdout)
    fix = document["findings"][0]["fix"]
    assert (fix["title"], fix["applicability"]) == ("write kernel_regularizer instead of W_regularizer", "safe")
    assert [(edit["line"], edit["column"], edit["text"]) for edit in fix["edits"]] == [(5, 68, "kernel_regularizer")]
    assert (document["summary"]["fixable"], document["summary"]["fixable_unsafely"]) == (3, 1)


@pytest.mark.parametrize("option", ["--fix", "--fix-only", "--diff"])
def test_standard_input_is_not_changed(run: Run, option: str) -> None:
    result = run("check", option, "-", input=OLD)
    assert result.exit_code == 2
    assert f"{option} cannot change standard input" in result.stderr
