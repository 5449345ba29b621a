"""The pre-commit hooks say what pre-commit needs, and their entries run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from cudnnlint.engine.requirements.files import is_requirements
from tests.cli.conftest import BAD, Run

MANIFEST = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
HOOKS: list[dict[str, Any]] = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))


def entry(hook: dict[str, Any]) -> list[str]:
    program, *args = shlex.split(hook["entry"])
    assert program == "cudnnlint"
    return args


def test_all_hooks_are_there() -> None:
    assert [hook["id"] for hook in HOOKS] == ["cudnnlint", "cudnnlint-fix", "cudnnlint-requirements"]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_a_hook_takes_python_and_notebooks_in_one_process_and_needs_no_framework(hook: dict[str, Any]) -> None:
    assert hook["language"] == "python"
    assert "files" in hook or set(hook["types_or"]) == {"python", "jupyter"}
    assert hook["require_serial"] is True
    assert "additional_dependencies" not in hook


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_an_entry_runs_on_staged_files(run: Run, bad: str, good: str, hook: dict[str, Any]) -> None:
    assert run(*entry(hook), good).exit_code == 0
    result = run(*entry(hook), good, bad)
    assert result.exit_code == 1
    assert "bad.py:6:5: CUD101" in result.stdout


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_an_entry_is_safe_without_files(run: Run, hook: dict[str, Any]) -> None:
    assert run(*entry(hook)).exit_code == 0


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_an_entry_leaves_out_what_the_project_excludes(run: Run, here: Path, hook: dict[str, Any]) -> None:
    (here / "pyproject.toml").write_text('[tool.cudnnlint]\nextend-exclude = ["vendored"]\n')
    (here / "vendored").mkdir()
    (here / "vendored" / "bad.py").write_text(BAD)
    assert run(*entry(hook), "vendored/bad.py").exit_code == 0


@pytest.mark.parametrize("path", [
    "requirements.txt", "docker/requirements-gpu.txt", "requirements/base.txt", "dev_requirements.in", "pyproject.toml",
    "sub/pyproject.toml", "Pipfile", "environment.yml", "conda-gpu.yaml", "notes.txt", "train.py", "Pipfile.lock",
    "docker-compose.yml", "my-environment.yml", "requirements.md"])
def test_the_hook_for_requirements_is_given_what_is_read_as_such(path: str) -> None:
    pattern = next(hook["files"] for hook in HOOKS if hook["id"] == "cudnnlint-requirements")
    assert bool(re.search(pattern, path)) == is_requirements(path)
