"""The plugin inside a real flake8: selection, noqa, standard input and processes are flake8's."""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from flake8.exceptions import ExecutionError

from cudnnlint.flake8_plugin import Plugin
from tests.cli.conftest import BAD, GOOD

ROOT = Path(__file__).parents[2]
ENTRY_POINT = '[project.entry-points."flake8.extension"]\nCUD = "cudnnlint.flake8_plugin:Plugin"\n'
LINE = 'bad.py:6:5: CUD101 empty-feature-map: height and width 3 -> -1 with kernel_size 5, padding "valid"'
Run = Callable[..., list[str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "setup.cfg").write_text("[flake8]\nselect = CUD\nexclude = site\n")
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "pyproject.toml").write_text("[tool.cudnnlint]\n")
    return tmp_path


@pytest.fixture
def environment(here: Path) -> dict[str, str]:
    """One in which the package counts as installed, with the entry point that pyproject.toml declares."""
    assert ENTRY_POINT in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    info = here / "site" / f"cudnnlint-{Plugin.version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: cudnnlint\nVersion: {Plugin.version}\n")
    (info / "entry_points.txt").write_text("[flake8.extension]\nCUD = cudnnlint.flake8_plugin:Plugin\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(here / "site")])}


@pytest.fixture
def flake8(here: Path, environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*args: str, text: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "flake8", *args], cwd=here, input=text, capture_output=True,
                              text=True, check=False, env=environment)

    return run


@pytest.fixture
def run(flake8: Callable[..., subprocess.CompletedProcess[str]]) -> Run:
    """The lines that flake8 prints."""

    def lines(*args: str, text: str = "") -> list[str]:
        done = flake8(*args, text=text)
        assert done.stderr == ""
        return [line.removeprefix("./") for line in done.stdout.splitlines()]

    return lines


def test_flake8_shows_our_findings(run: Run) -> None:
    assert run() == [LINE]


def test_flake8_names_the_plugin_and_its_version(run: Run) -> None:
    assert f"cudnnlint: {Plugin.version}" in " ".join(run("--version"))


def test_standard_input_has_the_display_name(run: Run) -> None:
    assert run("-", "--stdin-display-name", "bad.py", text=BAD) == [LINE]
    assert run("-", text=BAD) == [LINE.replace("bad.py", "stdin")]


@pytest.mark.parametrize("options", [
    ["--extend-ignore", "CUD101"], ["--extend-ignore", "CUD"], ["--per-file-ignores", "bad.py:CUD101"],
    ["--select", "E"],
])
def test_flake8_leaves_out_what_it_is_told_to(run: Run, options: list[str]) -> None:
    assert run(*options) == []


def test_noqa_is_judged_by_flake8(run: Run, here: Path) -> None:
    (here / "bad.py").write_text(BAD.replace("5)(x)", "5)(x)  # noqa: CUD101"))
    assert run() == []
    assert run("--disable-noqa") == [LINE]


def test_findings_come_back_from_other_processes(run: Run, here: Path) -> None:
    names = [f"bad{number}.py" for number in range(6)]
    for name in names:
        (here / name).write_text(BAD)
    assert run("--jobs", "2", *names) == [LINE.replace("bad.py", name) for name in names]


def test_versions_come_from_the_configuration_and_selection_does_not(run: Run, here: Path) -> None:
    (here / "pyproject.toml").write_text('[tool.cudnnlint]\nselect = ["syntax-error"]\nkeras = "2"\n')
    assert run() == [LINE]


def test_a_finding_in_an_imported_module_is_told_there_and_once(run: Run, here: Path) -> None:
    tail = "def tail(x):\n    return layers.Conv2D(64, 5)(x)\n\n\ntail(x)"
    (here / "bad.py").write_text(BAD.replace("x = layers.Conv2D(64, 5)(x)", tail))
    (here / "main.py").write_text("import bad\nimport keras\n\nbad.tail(keras.Input((3, 3, 3)))\n")
    assert [line.split(" ")[0] for line in run()] == ["bad.py:7:12:"]


def test_what_fails_in_a_module_for_what_this_file_hands_over_is_told_at_the_call(run: Run, here: Path) -> None:
    """The module by itself is right: nobody else would tell of it."""
    module = "import keras\n\n\ndef net(n):\n    return keras.layers.Conv2D(4, 9)(keras.Input((n, n, 3)))\n"
    (here / "bad.py").write_text(module)
    (here / "main.py").write_text("from bad import net\n\nnet(32)\nnet(3)\n")
    assert run() == ["main.py:4:1: CUD101 empty-feature-map: height and width 3 -> -5 with kernel_size 9, "
                     'padding "valid" (in bad.py, line 5)']
    (here / "bad.py").write_text(module.replace("3)))\n", "3)))  # noqa: CUD101\n"))
    assert run() == []


def test_a_script_that_imports_the_framework_through_the_project_is_linted(run: Run, here: Path) -> None:
    (here / "bad.py").write_text("from keras import Input, layers\n\n\ndef made():\n    return Input((3, 3, 3)), "
                                 "layers\n")
    (here / "main.py").write_text("from bad import made\n\nx, layers = made()\nlayers.Conv2D(8, 5)(x)\n")
    (here / "other.py").write_text("import os\nimport sys\n")
    assert [line.split(" ")[0] for line in run()] == ["main.py:4:1:"]


@pytest.mark.parametrize("start", ["", "\ufeff", "\x0c", "'''層'''; "])
def test_columns_are_code_points_from_0(start: str) -> None:
    text = start.removeprefix("\ufeff") + BAD.replace("x = layers.Conv2D", "層 = layers.Conv2D")
    found = list(Plugin(ast.parse(text), "bad.py", text.splitlines(keepends=True)).run())
    assert [row[:2] for row in found] == [(6, 4)]


def test_a_file_that_names_no_framework_costs_nothing(here: Path) -> None:
    script = ("import ast, sys\nfrom cudnnlint.flake8_plugin import Plugin\nbefore = set(sys.modules)\n"
              "assert list(Plugin(ast.parse('x = 1'), 'a.py', ['x = 1\\n']).run()) == []\n"
              "print(sorted(set(sys.modules) - before))\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.stdout == "[]\n"


def test_a_clean_file_is_clean(run: Run, here: Path) -> None:
    (here / "bad.py").write_text(GOOD)
    assert run() == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_broken_configuration_is_named(here: Path, flake8: Callable[..., subprocess.CompletedProcess[str]],
                                         jobs: str) -> None:
    (here / "pyproject.toml").write_text("[tool.cudnnlint]\nkerras = '3'\n")
    (here / "bad2.py").write_text(BAD)
    done = flake8("--jobs", jobs)
    assert done.returncode == 1
    assert 'tool.cudnnlint.kerras: unknown key, did you mean "keras"?' in done.stdout
    assert done.stderr == ""


def test_a_broken_configuration_ends_flake8_before_it_starts_processes(
        here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it ended one of them, CPython might wait for the others for ever."""
    (here / "pyproject.toml").write_text("[tool.cudnnlint]\nkerras = '3'\n")
    (here / "below").mkdir()
    monkeypatch.chdir(here / "below")
    with pytest.raises(ExecutionError, match="kerras: unknown key"):
        Plugin.parse_options(argparse.Namespace(cudnnlint_no_cache=True))


def test_a_second_run_tells_what_the_first_did_and_looks_at_nothing(run: Run, here: Path, environment: dict[str, str],
                                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    environment["CUDNNLINT_NO_CACHE"] = "0"
    environment.pop("CUDNNLINT_CACHE_DIR", None)
    (here / "user.py").write_text("import keras\nfrom bad import x\nkeras.layers.Conv2D(8, 9)(x)\n")
    first = run()
    assert run() == first and len(first) == 1
    kept = [*here.glob(".cudnnlint_cache/??/*.json")]
    assert len(kept) == 2
    for entry in kept:
        entry.write_text(entry.read_text().replace("empty-feature-map", "channel-mismatch"))
    assert "channel-mismatch" in run()[0]
    (here / "bad.py").write_text(GOOD)
    assert run() != first
    (here / "bad.py").write_text(BAD)
    for entry in kept:
        entry.unlink()
    assert run("--cudnnlint-no-cache") == first
    assert not [entry for entry in kept if entry.exists()]
