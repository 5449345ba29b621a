"""A directory of the test's own, and the command line inside the process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cudnnlint.cli.main import program

Run = Callable[..., Result]

BAD = """\
import keras
from keras import layers

x = keras.Input((12, 12, 3))
x = layers.MaxPooling2D(4)(x)
x = layers.Conv2D(64, 5)(x)
"""
GOOD = BAD.replace("Conv2D(64, 5)", "Conv2D(64, 3)")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory that no configuration reaches, and an environment that says nothing of colour."""
    (tmp_path / "pyproject.toml").write_text("[tool.cudnnlint]\n")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name in ("NO_COLOR", "FORCE_COLOR", "CUDNNLINT_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CUDNNLINT_VERIFY_CACHE", str(tmp_path / "answers"))
    return tmp_path / "work"


@pytest.fixture
def run(here: Path) -> Run:
    """`run("check", "a.py")`: the result of a command line."""
    return lambda *args, **more: CliRunner().invoke(program, [str(arg) for arg in args], **more)


@pytest.fixture
def bad(here: Path) -> str:
    """A file with one error."""
    (here / "bad.py").write_text(BAD)
    return "bad.py"


@pytest.fixture
def good(here: Path) -> str:
    (here / "good.py").write_text(GOOD)
    return "good.py"
