"""The command line with its cache: what is printed is what would be printed without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cudnnlint.engine.cache.place import NAME
from cudnnlint.report import formats
from tests.cli.conftest import BAD, Run

ROOT = Path(__file__).parents[2]
MANY = ("bad.py", "train.py", "requirements.txt", "imports.py", "broken.py", "latin.py", "notebook.ipynb")


@pytest.fixture(autouse=True)
def project(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bit of everything, and a cache where it is by default."""
    monkeypatch.delenv("CUDNNLINT_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(here.parent / "user"))
    (here / "bad.py").write_text(BAD)
    shutil.copy(ROOT / "examples" / "train.py", here)
    (here / "requirements.txt").write_text("tensorflow==2.16.1\ntf_keras==2.15.0\n")
    (here / "imports.py").write_text("import bad\nimport keras\nkeras.layers.Dense(-1)(bad.x)\n")
    (here / "broken.py").write_text("import keras\nx = (\n")
    (here / "latin.py").write_bytes("import keras  # ä\n".encode("latin-1"))
    (here / "notebook.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": '
        '["import keras\\n", "keras.layers.Conv2D(8, 5)(keras.Input((3, 3, 1)))"]}], "nbformat": 4, "metadata": {}}')
    return here


def everything(result: object) -> tuple[int, str, str]:
    return result.exit_code, result.stdout, result.stderr  # type: ignore[attr-defined]


@pytest.mark.parametrize("options", [
    *(["--output-format", name] for name in formats()), ["--verbose"], ["--statistics"], ["--quiet"],
    ["--isolated", "-v"], ["--diff", "--unsafe-fixes"],
    ["--select", "ALL", "--output-format", "concise"]], ids=" ".join)
def test_output_is_the_same_without_with_and_from_the_cache(run: Run, options: list[str]) -> None:
    without = everything(run("check", "--no-cache", *options, "."))
    assert everything(run("check", *options, ".")) == without
    assert everything(run("check", *options, ".")) == without
    assert everything(run("check", *options, *MANY)) == everything(run("check", "--no-cache", *options, *MANY))
    assert without[0] == 1


def test_fixes_are_those_of_a_run_without_it(run: Run, here: Path) -> None:
    written = {file: file.read_bytes() for file in here.iterdir() if file.is_file()}
    run("check", ".")
    first = everything(run("check", "--fix", "--unsafe-fixes", "."))
    fixed = {file: file.read_bytes() for file in written}
    assert fixed[here / "bad.py"] != written[here / "bad.py"]
    for file, data in written.items():
        file.write_bytes(data)
    assert everything(run("check", "--no-cache", "--fix", "--unsafe-fixes", ".")) == first
    assert {file: file.read_bytes() for file in written} == fixed


def test_standard_input_is_known_by_what_it_says(run: Run) -> None:
    given = ["check", "--stdin-filename", "bad.py", "--output-format", "concise", "-"]
    first = everything(run(*given, input=BAD))
    assert everything(run(*given, input=BAD)) == first and "CUD101" in first[1]
    assert everything(run(*given, input=BAD.replace("5)", "3)")))[0] == 0


def test_it_lies_beside_the_configuration_or_where_one_says(run: Run, here: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    run("check", "bad.py")
    assert [*here.parent.glob(f"{NAME}/??/*.json")]
    run("check", "--isolated", "bad.py")
    assert [*here.parent.glob("user/cudnnlint/check/??/*.json")]
    (here.parent / "pyproject.toml").write_text('[tool.cudnnlint]\ncache-dir = "kept"\n')
    run("check", "bad.py")
    assert [*here.parent.glob("kept/??/*.json")]
    monkeypatch.setenv("CUDNNLINT_CACHE_DIR", "by_variable")
    run("check", "bad.py")
    assert [*here.glob("by_variable/??/*.json")]
    run("check", "--cache-dir", "by_option", "bad.py")
    assert [*here.glob("by_option/??/*.json")]


def test_nothing_is_kept_for_who_asks_for_that(run: Run, here: Path) -> None:
    run("check", "--no-cache", "bad.py")
    assert not (here.parent / NAME).exists()


def test_clean_removes_it_and_nothing_else(run: Run, here: Path) -> None:
    assert everything(run("clean")) == (0, "", "")
    run("check", "bad.py")
    assert (here.parent / NAME).is_dir()
    result = run("clean")
    assert result.exit_code == 0 and f"removed {here.parent / NAME}" in result.stderr
    assert not (here.parent / NAME).exists()
    assert "nothing is removed" in run("clean", "--cache-dir", ".").stderr
    assert (here / "bad.py").exists()


def test_an_entry_that_was_spoilt_is_told_to_who_asks(run: Run, here: Path) -> None:
    plain, talkative = everything(run("check", ".")), everything(run("check", "-v", "."))
    for entry in here.parent.glob(f"{NAME}/??/*.json"):
        entry.write_text("{")
    assert "is no entry of ours" in run("check", "-v", ".").stderr
    for entry in here.parent.glob(f"{NAME}/??/*.json"):
        entry.write_text("{")
    assert everything(run("check", ".")) == plain
    assert everything(run("check", "-v", ".")) == talkative


def test_runs_at_the_same_time_do_not_disturb_each_other(here: Path) -> None:
    command = [sys.executable, "-m", "cudnnlint", "check", "--output-format", "concise", "."]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [subprocess.Popen(command, cwd=here, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
               for _ in range(3)]
    told = {one.communicate() for one in running}
    assert len(told) == 1 and {one.returncode for one in running} == {1}
    assert not [*here.parent.glob(f"{NAME}/**/*.part")]
    assert subprocess.run(command, cwd=here, env=variables, capture_output=True, check=False).stdout == told.pop()[0]
