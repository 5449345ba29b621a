"""What a user sees of `cudnnlint [check]`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.cli._failing import fails
from cudnnlint.cli._output import wants_color
from cudnnlint.engine import registry
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.finding import Verification
from cudnnlint.report import formats
from tests.cli.conftest import BAD, Run

LINE = 'bad.py:6:5: CUD101 empty-feature-map: height and width 3 -> -1 with kernel_size 5, padding "valid"\n'
FOUND = "Found 1 error in 1 file.\n1 fixable with --fix --unsafe-fixes.\n"


def test_check_is_the_default_command(run: Run, bad: str) -> None:
    named = run("check", bad, "--output-format", "concise")
    assert named.exit_code == 1
    assert named.stdout == LINE + FOUND
    assert run(bad, "--output-format", "concise").stdout == named.stdout
    assert run("--output-format", "concise", bad).stdout == named.stdout
    assert run("--output-format=concise").stdout == named.stdout, "the working directory is the default path"


def test_clean_file_exits_0(run: Run, good: str) -> None:
    result = run(good)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "All checks passed.\n", "")


def test_exit_zero_still_reports(run: Run, bad: str) -> None:
    result = run(bad, "--exit-zero")
    assert result.exit_code == 0
    assert "Found 1 error" in result.stdout


def test_no_file_at_all_is_said_and_exits_0(run: Run) -> None:
    result = run("check", "--force-exclude")
    assert (result.exit_code, result.stdout) == (0, "All checks passed.\n")
    assert result.stderr == "cudnnlint: warning: no Python files or notebooks found\n"


def test_a_part_of_cudnnlint_that_does_not_load_is_no_clean_run(run: Run, good: str,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "problems", lambda: ("cudnnlint.ops.x does not load: ImportError: y",))
    result = run(good, "--exit-zero")
    assert (result.exit_code, result.stdout) == (2, "All checks passed.\n")
    assert result.stderr == ("cudnnlint: error: cudnnlint.ops.x does not load: ImportError: y; what it knows was not "
                             "looked for\n")
    for option in ("--diff", "--fix-only", "--fix"):
        changed = run(good, option, "--exit-zero")
        assert (changed.exit_code, changed.stderr) == (2, result.stderr)


@pytest.mark.parametrize("name", formats())
def test_every_format_can_be_asked_for(run: Run, bad: str, name: str) -> None:
    result = run(bad, "--output-format", name)
    assert result.exit_code == 1
    assert "empty-feature-map" in result.stdout


def test_json_is_one_document_even_with_notes(run: Run, bad: str) -> None:
    result = run(bad, "--output-format", "json", "--verbose", "--statistics")
    document = json.loads(result.stdout)
    found = document["findings"][0]
    assert (found["path"], found["line"], found["column"], found["rule"]) == ("bad.py", 6, 5, "empty-feature-map")
    assert found["stacks"]["keras"].startswith("3.")
    assert document["summary"]["rules"] == {"empty-feature-map": 1}


def test_verbose_says_which_versions_were_assumed_and_why(run: Run, bad: str) -> None:
    assert "assumed" in run(bad, "--verbose").stderr
    assert "Keras 2.12" in run(bad, "--verbose", "--keras", "2.12").stderr


def test_quiet_prints_only_findings(run: Run, bad: str, good: str) -> None:
    assert run(bad, "--quiet", "--output-format", "concise").stdout == LINE
    assert run(good, "-q").stdout == ""


def test_statistics_count_by_rule(run: Run, here: Path, bad: str) -> None:
    (here / "worse.py").write_text(BAD + BAD)
    (here / "broken.py").write_text("import keras\ndef f(:\n")
    result = run(".", "--statistics")
    assert result.stdout == "3 CUD101 empty-feature-map\n1 CUD901 syntax-error\n"
    assert result.exit_code == 1


def test_a_file_that_does_not_parse_does_not_stop_the_others(run: Run, here: Path, bad: str) -> None:
    (here / "a.py").write_text("import keras\ndef f(:\n")
    result = run("a.py", bad, "--output-format", "concise")
    assert [line.split(" ")[1] for line in result.stdout.splitlines()[:2]] == ["CUD901", "CUD101"]
    assert result.exit_code == 1


def test_standard_input_has_the_name_that_is_given(run: Run, good: str) -> None:
    result = run("-", "--stdin-filename", "bad.py", "--output-format", "concise", input=BAD)
    assert (result.exit_code, result.stdout) == (1, LINE + FOUND)


def test_standard_input_may_be_a_notebook(run: Run) -> None:
    cell: Any = {"cell_type": "code", "id": "a", "source": BAD, "outputs": [], "metadata": {}, "execution_count": None}
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})
    result = run("-", "--stdin-filename", "nb.ipynb", "--output-format", "concise", input=notebook)
    assert result.stdout.startswith("nb.ipynb:cell 1:6:5: CUD101 ")


@pytest.mark.parametrize("options", [
    ["--ignore", "empty-feature-map"], ["--ignore", "CUD101"], ["--ignore=CUD1"], ["--extend-ignore", "CUD1,CUD901"],
    ["--select", "syntax-error"], ["--select", "ALL", "--ignore", "CUD9", "--ignore", "CUD1"],
])
def test_rules_are_left_out_by_name_code_or_prefix(run: Run, bad: str, options: list[str]) -> None:
    assert run(bad, *options).exit_code == 0


@pytest.mark.parametrize("options", [
    ["--select", "CUD1"], ["--select", "ALL"], ["--select", "syntax-error", "--extend-select", "empty-feature-map"],
    ["--select", "syntax-error,CUD101"],
])
def test_rules_are_selected_by_name_code_or_prefix(run: Run, bad: str, options: list[str]) -> None:
    assert run(bad, *options).exit_code == 1


def test_configuration_is_read_overridden_and_left_out(run: Run, here: Path, bad: str) -> None:
    (here / "pyproject.toml").write_text('[tool.cudnnlint]\nignore = ["empty-feature-map"]\n')
    assert run(bad).exit_code == 0
    assert run(bad, "--select", "CUD101").exit_code == 1
    assert run(bad, "--isolated").exit_code == 1
    (here / "other.toml").write_text('exclude = ["bad.py"]\n')
    assert run(".", "--config", "other.toml").exit_code == 0


def test_configuration_is_that_of_the_linted_project(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = here / "project"
    (project / "src").mkdir(parents=True)
    (project / "pyproject.toml").write_text('[tool.cudnnlint]\nignore = ["empty-feature-map"]\n')
    (project / "src" / "bad.py").write_text(BAD)
    assert run("project/src/bad.py").exit_code == 0
    assert run("-", "--stdin-filename", "project/src/new.py", input=BAD).exit_code == 0


def test_exclude_spares_a_named_file_unless_forced(run: Run, bad: str) -> None:
    assert run(".", "--extend-exclude", "bad.py").exit_code == 0
    assert run(bad, "--exclude", "bad.py").exit_code == 1
    assert run(bad, "--exclude", "bad.py", "--force-exclude").exit_code == 0


def test_output_file_gets_the_report_without_colour(run: Run, here: Path, bad: str) -> None:
    result = run(bad, "--output-file", "report.txt", env={"FORCE_COLOR": "1"})
    assert (result.exit_code, result.stdout) == (1, "")
    text = (here / "report.txt").read_text(encoding="utf-8")
    assert text.endswith(FOUND)
    assert "\x1b" not in text


def test_colour_is_off_for_a_pipe_and_on_when_asked_for(run: Run, bad: str) -> None:
    assert "\x1b[" not in run(bad).stdout
    assert "\x1b[" in run(bad, "--color").stdout
    assert "\x1b[" in run(bad, env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[" not in run(bad, "--no-color", env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[" not in run(bad, env={"NO_COLOR": "1", "FORCE_COLOR": "1"}).stdout


@pytest.mark.parametrize(("flag", "terminal", "environment", "color"), [
    (None, True, {}, True),
    (None, False, {}, False),
    (None, True, {"NO_COLOR": "1"}, False),
    (None, True, {"NO_COLOR": ""}, True),
    (None, True, {"TERM": "dumb"}, False),
    (None, False, {"FORCE_COLOR": "0"}, False),
    (True, False, {"NO_COLOR": "1"}, True),
    (False, True, {"FORCE_COLOR": "1"}, False),
])
def test_who_decides_on_colour(flag: bool | None, terminal: bool, environment: dict[str, str], color: bool) -> None:
    assert wants_color(flag, terminal=terminal, environment=environment) is color


def test_shapes_are_one_json_document(run: Run, bad: str) -> None:
    layers = json.loads(run("shapes", bad, "--output-format", "json").stdout)["layers"]
    pool = next(layer for layer in layers if layer["layer"] == "MaxPooling2D")
    assert (pool["path"], pool["line"], pool["column"], pool["output_shape"]) == ("bad.py", 5, 5, [None, 3, 3, 3])


def test_extending_options_add_to_the_configuration(run: Run, here: Path, bad: str) -> None:
    (here / "pyproject.toml").write_text('[tool.cudnnlint]\nextend-ignore = ["CUD1"]\nextend-exclude = ["bad.py"]\n')
    assert run(bad, "--extend-ignore", "syntax-error").exit_code == 0
    assert run(bad, "--ignore", "syntax-error").exit_code == 0
    assert run(".", "--select", "CUD1", "--extend-exclude", "other.py").exit_code == 0
    assert run(bad, "--select", "CUD1", "--extend-ignore", "syntax-error").exit_code == 1


def test_an_environments_model_code_is_followed(run: Run, here: Path) -> None:
    site = here / "env" / "lib" / "python3.12" / "site-packages"
    site.mkdir(parents=True)
    (site / "zoo.py").write_text("from keras import layers\n\n\ndef shrink(x):\n    return layers.MaxPooling2D(4)(x)\n")
    (here / "a.py").write_text("import keras\nimport zoo\n\nx = zoo.shrink(keras.Input((2, 8, 3)))\n")
    result = run("check", "a.py", "--python", "env", "--output-format", "concise")
    assert result.exit_code == 1
    assert result.output.startswith("a.py:4:5: CUD101"), result.output
    assert "(in zoo.py, line 5)" in result.output


def test_an_environment_that_is_none_is_wrong_usage(run: Run, here: Path) -> None:
    for command in ("check", "shapes"):
        (here / "a.py").write_text("import keras\n")
        result = run(command, "a.py", "--python", "nowhere")
        assert result.exit_code == 2
        assert "--python: nowhere is no interpreter or environment with packages" in result.output


OLD = "import keras\n\noptimizer = keras.optimizers.Adam(lr=1e-3)\n"


def test_findings_about_versions_that_nothing_names_say_so(run: Run) -> None:
    Path("old.py").write_text(OLD, encoding="utf-8")
    told = "cudnnlint: note: nothing says which versions, Keras 3.15, TensorFlow 2.21 assumed; " \
           "[tool.cudnnlint] sets keras and tensorflow\n"
    assert run("old.py").stderr == told
    assert run("old.py", "--quiet").stderr == ""
    Path("pinned").mkdir()
    Path("pinned/requirements.txt").write_text("keras==3.12.0\n", encoding="utf-8")
    Path("pinned/old.py").write_text(OLD, encoding="utf-8")
    pinned = run("pinned/old.py")
    assert "in Keras 3.12" in pinned.stdout and pinned.stderr == ""


@pytest.mark.parametrize(("option", "version", "told"), [
    ("--keras", "2.10", "Keras 2.10"), ("--tensorflow", "2.9", "TensorFlow 2.9"), ("--torch", "2.4", "PyTorch 2.4")])
def test_a_version_of_the_command_line_is_the_one_that_is_judged(run: Run, here: Path, option: str, version: str,
                                                                 told: str) -> None:
    (here / "net.py").write_text("import keras, torch\n")
    assert told in run("net.py", "--verbose", option, version).stderr
    wrong = run("net.py", option, "newest")
    assert (wrong.exit_code, wrong.stderr) == (
        2, f'cudnnlint: error: {option}: expected a version such as "2.16", got "newest"\n')


ADVICE = "import tensorflow as tf\nsession = tf.Session()\n"
"""What only a rule of level info speaks of."""


@pytest.mark.parametrize(("options", "code"), [
    ((), 0), (("--fail-on", "warning"), 0), (("--fail-on", "info"), 1), (("--select", "ALL"), 1),
    (("--extend-select", "unpinned-old-api"), 1), (("--select", "ALL", "--exit-zero"), 0),
    (("--select", "ALL", "--fail-on", "warning"), 0)])
def test_advice_fails_who_asked_for_it(run: Run, here: Path, options: tuple[str, ...], code: int) -> None:
    (here / "old.py").write_text(ADVICE)
    result = run("old.py", *options)
    assert "Found 1 info" in result.stdout
    assert result.exit_code == code


def test_a_level_that_does_not_count_is_still_told(run: Run, here: Path) -> None:
    (here / "net.py").write_text("import keras\nx = keras.layers.Conv2D(32, 3, 3)(keras.Input((28, 28, 1)))\n")
    (here.parent / "pyproject.toml").write_text('[tool.cudnnlint]\nfail-on = "error"\n')
    result = run("net.py")
    assert (result.exit_code, "1 warning" in result.stdout) == (0, True), result.stdout
    assert run("net.py", "--fail-on", "warning").exit_code == 1
    assert run("net.py", "--fail-on", "eror").stderr.count("(did you mean error?)") == 1


def test_rules_are_left_out_of_files_on_the_command_line(run: Run, here: Path, bad: str) -> None:
    (here / "other.py").write_text(BAD)
    for written in ("bad.py:CUD101", "bad.py:CUD4,CUD101", "x.py:CUD4,bad.py:empty-feature-map"):
        result = run("--per-file-ignores", written, "--output-format", "concise", "--quiet")
        assert result.stdout == LINE.replace("bad.py", "other.py")
    assert run(bad, "--per-file-ignores", "bad.py").stderr.startswith(
        'cudnnlint: error: invalid value for \'--per-file-ignores\': "bad.py" is not like tests/*:CUD401 ')
    assert run(bad, "--per-file-ignores", "bad.py:CUD109x").exit_code == 2


def test_what_would_be_linted_is_shown(run: Run, here: Path, bad: str) -> None:
    (here / ".gitignore").write_text("left.py\n")
    for name in ("left.py", "notes.txt", "requirements.txt"):
        (here / name).write_text("")
    assert run("--show-files").stdout == "bad.py\nrequirements.txt\n"
    assert run("--show-files", "--no-respect-gitignore").stdout == "bad.py\nleft.py\nrequirements.txt\n"


def test_the_settings_that_hold_are_shown(run: Run, here: Path, bad: str) -> None:
    file = here.parent / "pyproject.toml"
    file.write_text('[tool.cudnnlint]\nkeras = "3.1"\n[tool.cudnnlint.per-file-ignores]\n"a.py" = ["CUD1"]\n'
                    "[tool.cudnnlint.rules.predict-in-loop]\nturns = 7\n")
    shown = run("--show-settings", "--tensorflow", "2.18").stdout
    assert shown.startswith(f"# {file}\n")
    read = here / "cudnnlint.toml"
    read.write_text(shown)
    settings = Settings.load(read)
    assert (settings.keras, settings.tensorflow, settings.per_file_ignores) == ("3.1", "2.18", {"a.py": ("CUD1",)})
    assert settings.rules["predict-in-loop"].turns == 7


def test_what_was_refuted_fails_no_run(here: Path) -> None:
    (here / "old.py").write_text(ADVICE)
    asked = Settings(select=("ALL",))
    found = check(["old.py"], asked).findings
    refuted = [replace(finding, verification=Verification("refuted", "Keras", "CPU")) for finding in found]
    assert fails(found, asked) and not fails(refuted, asked)
    assert fails(refuted, replace(asked, fail_on="info"))
