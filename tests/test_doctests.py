"""The examples in docstrings are so."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from cudnnlint.engine import registry

ROOT = Path(__file__).parents[1]
MODULES = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in sorted((ROOT / "cudnnlint").rglob("*.py"))
           if ">>> " in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load()
    package, _, stem = name.rpartition(".")
    if package == "cudnnlint.verify.worker":  # run by path, in an interpreter that has no cudnnlint
        monkeypatch.syspath_prepend(ROOT / "cudnnlint" / "verify" / "worker")
        name = stem
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted and not result.failed
