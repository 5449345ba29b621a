"""What the scaffolder writes is found, loads and passes the tests that apply to it, but for its TODO."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cudnnlint.devtools import new

ROOT = Path(__file__).parents[2]
MADE = {"rule": "shapes/swapped-window", "layer": "fourier-pooling", "framework": "someframework", "format": "listing"}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with one new thing of each kind."""
    root = tmp_path_factory.mktemp("repository")
    for name in ("cudnnlint", "tests", "docs", "examples"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (*ROOT.glob("*.md"), ROOT / "pyproject.toml", ROOT / ".pre-commit-hooks.yaml"):
        shutil.copy(path, root)
    for kind, name in MADE.items():
        new.create(kind, name, root)
    return root


def pytest_in(root: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rfE", *arguments], cwd=root,
                          capture_output=True, text=True, check=False,
                          env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1",
                               **environment})
    return done.stdout + done.stderr


def failed(output: str) -> list[str]:
    return sorted(line.split("::", 1)[1].partition(" - ")[0] for line in output.splitlines()
                  if line.startswith(("FAILED", "ERROR")))


def test_a_new_rule_fails_only_by_its_page(copy: Path) -> None:
    output = pytest_in(copy, "tests/test_meta.py", "tests/test_pages.py", "-k",
                       "swapped or loads or contracts or no_code")
    assert failed(output) == ["test_a_page_is_complete[swapped-window]",
                              "test_an_example_shows_the_finding_and_what_to_write_instead[swapped-window]"], output
    assert "passed" in output


def test_a_new_layer_is_total(copy: Path) -> None:
    output = pytest_in(copy, "tests/test_totality.py", "-k", "FourierPooling")
    assert failed(output) == []
    assert "2 passed" in output


def test_a_new_layer_is_configured_for_the_comparison(copy: Path) -> None:
    output = pytest_in(copy, "tests/oracle/test_layers.py", "-k", "every_builder_is_configured")
    assert "fourier" not in output.lower(), output


def test_a_new_format_is_offered_and_renders(copy: Path) -> None:
    output = pytest_in(copy, "tests/report/test_formats.py", "-k", "listing", CUDNNLINT_BLESS="1")
    assert failed(output) == [], output
    assert "3 passed" in output


def test_a_new_framework_is_followed(copy: Path) -> None:
    (copy / "uses.py").write_text("import someframework, keras\nkeras.Input(someframework.load())\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "cudnnlint", "--isolated", "--verbose", "uses.py"], cwd=copy,
                          check=False, capture_output=True, text=True,
                          env={"PYTHONPATH": str(copy), "PATH": "/usr/bin:/bin"})
    assert (done.returncode, done.stdout) == (0, "All checks passed.\n")
    assert "does not load" not in done.stderr


def test_the_documentation_asks_to_be_written_again(copy: Path) -> None:
    output = pytest_in(copy, "tests/test_meta.py", "-k", "documentation")
    assert "docs/rules/swapped-window.md is out of date: run `python -m cudnnlint.devtools.docs`" in output


@pytest.mark.parametrize(("kind", "name", "reason"), [
    ("rule", "swapped-window", "name a rule as GROUP/NAME"),
    ("rule", "shapes/empty-feature-map", "there is a rule empty-feature-map already"),
    ("rule", "shapes/window", "is one word"),
    ("layer", "FourierPooling", "is not in kebab-case"),
    ("format", "json", "cudnnlint/report/json.py is there already"),
])
def test_a_name_that_cannot_be_used_is_refused(kind: str, name: str, reason: str,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    assert new.main([kind, name]) == 2
    assert reason in capsys.readouterr().err


def test_a_new_rule_gets_the_code_after_the_last_of_its_group() -> None:
    text, = new.rule("shapes/swapped-window").values()
    taken = [rule.code for rule in new.rules().values() if rule.code.startswith("CUD1")]
    assert f'"CUD{int(max(taken)[3:]) + 1}"' in text
