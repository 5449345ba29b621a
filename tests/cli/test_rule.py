"""`cudnnlint rule` prints pages that a person can read and a program can parse."""

from __future__ import annotations

import json

import pytest

from cudnnlint.engine.registry import rules
from tests.cli.conftest import Run


@pytest.mark.parametrize("name", ["empty-feature-map", "CUD101", "cud101"])
def test_a_page_is_found_by_name_and_code(run: Run, name: str) -> None:
    result = run("rule", name)
    assert result.exit_code == 0
    assert result.stdout.startswith("# empty-feature-map (CUD101)\n\nerror, since 0.1, on by default\n")
    assert "## Why is this bad?" in result.stdout


def test_a_page_is_laid_out_on_a_terminal(run: Run) -> None:
    text = run("rule", "CUD101", "--color").stdout
    assert "\x1b[" in text
    assert "##" not in text


def test_all_lists_every_rule_once_with_its_summary(run: Run) -> None:
    lines = run("rule", "--all").stdout.splitlines()
    assert [line.split()[1] for line in lines] == list(rules())
    assert all(line.endswith(rule.summary) for line, rule in zip(lines, rules().values(), strict=True))


def test_json_tells_the_same(run: Run) -> None:
    one = json.loads(run("rule", "CUD101", "--output-format", "json").stdout)
    listed = json.loads(run("rule", "--all", "--output-format", "json").stdout)["rules"]
    assert (one["name"], one["level"], one["default"]) == ("empty-feature-map", "error", True)
    assert one in listed


def test_an_unknown_rule_is_one_line_with_a_tip(run: Run) -> None:
    result = run("rule", "empty-feature-mpa")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == 'cudnnlint: error: unknown rule "empty-feature-mpa", did you mean "empty-feature-map"?\n'


@pytest.mark.parametrize("args", [["rule"], ["rule", "CUD101", "--all"]])
def test_either_a_name_or_all(run: Run, args: list[str]) -> None:
    assert run(*args).exit_code == 2
