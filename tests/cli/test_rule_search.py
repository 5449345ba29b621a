"""`cudnnlint rule --search` as people use it: an error pasted or piped in, one line a rule."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run

ERROR = "ValueError: Negative dimension size caused by subtracting 2 from 1 for 'MaxPool' with shapes: [?,1,1,128]."


def test_an_error_lists_the_rules_it_may_come_from(run: Run) -> None:
    result = run("rule", "--search", ERROR)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert 1 <= len(lines) <= 5
    assert any(line.startswith("CUD101  empty-feature-map ") for line in lines)


def test_a_log_is_piped_in(run: Run) -> None:
    piped = run("rule", "--search", "-", input=f"Epoch 1/3\n{ERROR}\n")
    assert (piped.exit_code, piped.stdout) == (0, run("rule", "--search", ERROR).stdout)


def test_what_no_rule_tells_of_is_said_and_exits_with_1(run: Run) -> None:
    result = run("rule", "--search", "KeyError: 'loss'")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "cudnnlint: no rule tells of an error like this\n"


def test_json_holds_the_pages(run: Run) -> None:
    found = json.loads(run("rule", "--search", ERROR, "--output-format", "json").stdout)["rules"]
    assert "empty-feature-map" in [rule["name"] for rule in found]
    assert all(rule["page"] for rule in found)


@pytest.mark.parametrize("more", [["empty-feature-map"], ["--all"]])
def test_one_thing_at_a_time(run: Run, more: list[str]) -> None:
    result = run("rule", "--search", ERROR, *more)
    assert result.exit_code == 2
    assert "--search" in result.stderr
