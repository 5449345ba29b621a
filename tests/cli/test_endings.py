"""However a run ends: the right exit code, at most one line on standard error, never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from cudnnlint import __version__
from cudnnlint.engine import run as engine
from tests.cli.conftest import BAD, Run

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
COMMAND = [sys.executable, "-m", "cudnnlint"]


@pytest.mark.parametrize(("args", "text"), [
    (["nowhere.py"], "nowhere.py: no such file or directory"),
    (["chekc"], 'chekc: no such file or directory, did you mean the command "check"?'),
    (["--select", "empty-batchs"], '--select: unknown rule "empty-batchs"'),
    (["--select", "empty-feature-mpa"], 'did you mean "empty-feature-map"?'),
    (["--ignore", "CUD9011"], '--ignore: unknown rule "CUD9011", did you mean "CUD901"?'),
    (["--select", "CUD3O1"], '--select: unknown rule "CUD3O1", did you mean "CUD3'),
    (["--output-format", "jsno"], "'jsno' is not one of"),
    (["--output-format", "jsno"], "(did you mean json?)"),
    (["--selcet", "ALL"], "--selcet"),
    (["--select", " , "], "no rule is named"),
    (["--keras", "three"], 'expected a version such as "2.16", got "three"'),
    (["--config", "nowhere.toml"], "nowhere.toml: cannot be read: no such file or directory"),
    (["--isolated", "--config", "a.toml"], "exclude each other"),
    (["--output-file", "nowhere/report.txt"], "nowhere/report.txt: no such file or directory"),
    (["--fix", "-"], "--fix cannot change standard input"),
])
def test_bad_usage_is_one_line_and_exit_2(run: Run, good: str, args: list[str], text: str) -> None:
    result = run("check", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("cudnnlint: error: ")
    assert text in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(("config", "text"), [
    ("selekt = []", 'pyproject.toml: tool.cudnnlint.selekt: unknown key, did you mean "select"?'),
    ("select = 3", "pyproject.toml: tool.cudnnlint.select: expected a list of strings"),
    ("select = [", "pyproject.toml: not valid TOML"),
])
def test_a_broken_configuration_is_one_line_and_exit_2(run: Run, here: Path, good: str, config: str, text: str) -> None:
    (here / "pyproject.toml").write_text(f"[tool.cudnnlint]\n{config}\n")
    result = run(good)
    assert result.exit_code == 2
    assert text in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_internal_error_is_one_line_and_exit_2(run: Run, good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*args: object, **more: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(engine, "check", crash)
    result = run(good)
    assert result.exit_code == 2
    assert result.stderr == ("cudnnlint: error: internal error: RuntimeError: two lines "
                             "(a bug in cudnnlint; CUDNNLINT_TRACEBACK=1 shows where)\n")


def test_an_interrupt_is_quiet_and_exit_130(run: Run, good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "check", interrupt)
    result = run(good)
    assert result.exit_code == 130
    assert result.stderr.strip() == ""


HEARING = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
"""A shell that runs the tests in its background ignores interrupts, and so do its children."""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupt_ends_waiting_for_standard_input(here: Path) -> None:
    process = subprocess.Popen([*COMMAND, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=ENVIRONMENT, preexec_fn=HEARING)  # noqa: PLW1509 - no threads here
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_reader_that_goes_away_is_no_error(here: Path) -> None:
    (here / "bad.py").write_text(BAD * 40)
    process = subprocess.Popen([*COMMAND, "bad.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_one_line_and_exit_2(here: Path) -> None:
    (here / "bad.py").write_text(BAD)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([*COMMAND, "bad.py"], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True,
                              check=False)
    assert (done.returncode, done.stderr) == (2, "cudnnlint: error: no space left on device\n")


def test_output_survives_a_narrow_encoding(here: Path) -> None:
    (here / "bad.py").write_text(BAD.replace("x = layers.Conv2D", "層 = layers.Conv2D"), encoding="utf-8")
    done = subprocess.run([*COMMAND, "bad.py"], capture_output=True, check=False,
                          env={**ENVIRONMENT, "PYTHONIOENCODING": "cp1252"})
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"\\u5c64 = layers.Conv2D" in done.stdout


def test_help_tells_the_exit_codes_and_the_commands(run: Run) -> None:
    text = run("--help").stdout
    assert all(word in text for word in ("check", "rule", "shapes", "0  no findings", "1  findings", "2  wrong usage"))
    assert "Exit codes: 0 no findings that count, 1 findings, 2 wrong usage" in run("check", "--help").stdout


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"cudnnlint {__version__}\n"
