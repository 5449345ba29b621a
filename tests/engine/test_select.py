"""Which rules speak, by selectors of different precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.select import ignored_in, selected, unknown
from cudnnlint.rules.listing import Listed


def rule(code: str, name: str, *, default: bool = True) -> Listed:
    return Listed(code, name, default, frozenset({"Rejected"}), "group.module")


RULES = (rule("CUD101", "empty-feature-map"), rule("CUD102", "rank-mismatch"), rule("CUD401", "empty-batch"),
         rule("CUD499", "tiny-batch", default=False), rule("CUD901", "syntax-error"))


def codes(**settings: Any) -> str:
    return " ".join(rule.code.removeprefix("CUD") for rule in selected(Settings(**settings), RULES))


@pytest.mark.parametrize(("settings", "speaking"), [
    ({}, "101 102 401 901"),
    ({"select": ("ALL",)}, "101 102 401 499 901"),
    ({"select": ("CUD1",)}, "101 102 901"),
    ({"select": ("cud101",)}, "101 901"),
    ({"select": ("rank-mismatch", "CUD4")}, "102 401 499 901"),
    ({"select": ()}, "901"),
    ({"ignore": ("CUD1",)}, "401 901"),
    ({"extend_ignore": ("empty-batch",)}, "101 102 901"),
    ({"extend_select": ("tiny-batch",)}, "101 102 401 499 901"),
    ({"select": ("CUD1",), "extend_select": ("CUD401",)}, "101 102 401 901"),
    ({"select": ("CUD101",), "ignore": ("CUD1",)}, "101 901"),
    ({"select": ("CUD1",), "ignore": ("CUD101",)}, "102 901"),
    ({"select": ("CUD101",), "ignore": ("empty-feature-map",)}, "901"),
    ({"select": ("ALL",), "ignore": ("CUD",)}, ""),
    ({"ignore": ("ALL",), "extend_select": ("CUD102",)}, "102"),
    ({"select": ("CUD1",), "ignore": ("syntax-error",)}, "101 102"),
])
def test_the_most_specific_selector_wins(settings: dict[str, Any], speaking: str) -> None:
    assert codes(**settings) == speaking


@pytest.mark.parametrize(("selector", "tip"), [
    ("ALL", None), ("CUD", None), ("CUD40", None), ("cud101", None), ("empty-batch", None),
    ("empty-bach", ', did you mean "empty-batch"?'), ("CUD111", ', did you mean "CUD101"?'), ("xyzzy", ""), ("", ""),
])
def test_selectors_that_mean_nothing_are_known(selector: str, tip: str | None) -> None:
    assert unknown(selector, RULES) == tip


@pytest.mark.parametrize(("pattern", "ignored"), [
    ("train.py", True), ("src/*.py", True), ("src", True), ("*.py", True), ("/elsewhere/*", False),
    ("test_*.py", False), ("!train.py", False), ("!test_*.py", True), ("**/train.py", True),
])
def test_per_file_ignores_mean_files_by_pattern(pattern: str, ignored: bool, tmp_path: Path) -> None:
    settings = Settings(per_file_ignores={pattern: ("CUD1", "empty-batch")}, root=tmp_path)
    found = ignored_in(settings, str(tmp_path / "src/train.py"), RULES)
    assert found == ({"empty-feature-map", "rank-mismatch", "empty-batch"} if ignored else set())
