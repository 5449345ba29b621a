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
def test_docstring_examples_hold(name: str) -> None:
    registry.load()
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted and not result.failed
