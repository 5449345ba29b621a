"""What holds for every rule and every module: names, pages, messages, coverage of problems, and size."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from cudnnlint.devtools.pages import Block, blocks_of, claims_of, findings_of
from cudnnlint.engine import registry
from cudnnlint.engine.dispatch import Dispatcher
from cudnnlint.engine.settings import Settings
from cudnnlint.events import Rejected
from cudnnlint.finding import Finding
from cudnnlint.rules.protocol import Rule
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Mismatch, Problem, Stack

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "cudnnlint"
RULES = tuple(registry.rules().values())
GROUPS = {"shapes": "1", "dtypes": "2", "parameters": "3", "batches": "4", "api": "7", "tool": "9"}
SECTIONS = tuple(f"## {title}" for title in (
    "Why is this bad?", "Example", "Use instead", "Where it fails", "Known limits", "References"))


def file_of(rule: Rule) -> Path:
    return PACKAGE.joinpath(*rule.check.__module__.split(".")[1:]).with_suffix(".py")


def by_name(rule: Rule) -> str:
    return rule.name


def test_every_module_of_rules_ops_and_frameworks_loads() -> None:
    assert registry.problems() == ()


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_a_rule_is_named_after_its_file_and_numbered_after_its_group(rule: Rule) -> None:
    file = file_of(rule)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert file.stem == rule.name.replace("-", "_")
    assert re.fullmatch(rf"CUD{GROUPS[file.parent.name]}\d\d", rule.code)


def test_every_file_of_a_group_holds_one_rule() -> None:
    files = [file for group in GROUPS for file in (PACKAGE / "rules" / group).glob("*.py") if file.stem != "__init__"]
    assert sorted(files) == sorted(file_of(rule) for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_a_page_has_all_its_sections_in_order(rule: Rule) -> None:
    found = [line for line in rule.page.splitlines() if line.startswith("## ")]
    assert found == list(SECTIONS)
    summary = rule.summary
    assert summary.endswith(".") and summary[0].isupper() and len(summary) <= 120
    bodies = re.split(r"^## .*$", rule.page, flags=re.MULTILINE)
    assert all(body.strip() for body in bodies)


@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.code.startswith("CUD9")], ids=by_name)
def test_a_page_shows_its_finding_and_a_way_without_it(rule: Rule) -> None:
    blocks = blocks_of(file_of(rule), ROOT)
    told = [any(claim.kind == "error" and f"[{rule.name}]" in claim.text for claim in claims_of(block.code))
            for block in blocks]
    assert any(told) and not all(told)


PAGES = [*sorted((PACKAGE / "rules").rglob("*.py")), *sorted((ROOT / "tests" / "specs").glob("*.md"))]
BLOCKS = [block for page in PAGES for block in blocks_of(page, ROOT)
          if any(claim.kind == "error" for claim in claims_of(block.code))]


def texts(finding: Finding) -> Iterator[str]:
    yield finding.message
    yield finding.fails
    if finding.help:
        yield finding.help


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_findings_speak_in_one_style(block: Block) -> None:
    """One line, lower case but for names out of the code, no full stop, and where it fails."""
    for finding in findings_of(block):
        assert finding.fails, finding
        for text in texts(finding):
            first = re.split(r"[\s:(]", text)[0]
            assert "\n" not in text and not text.endswith(".") and text == text.strip(), text
            assert text[0] in "`\"'" or not text[0].isupper() or first.rpartition(".")[2] in block.code \
                or first in ("ValueError", "Keras", "TensorFlow"), text


def rejections() -> Iterator[Rejected]:
    facts = (("expected", (BATCH, 2)), ("actual", (BATCH, 3)), ("epsilon", -1.0), ("dtype", "uint8"))
    for problem in Problem:
        yield Rejected(span=Span("x.py", 1, 0, 1, 1), stack=Stack(), what="tf.f", stage="call",
                       mismatch=Mismatch(problem, "message", error="ValueError", argument="size", facts=facts))


@pytest.mark.parametrize("event", rejections(), ids=lambda event: event.mismatch.problem.name)
def test_every_problem_is_told_by_one_rule(event: Rejected) -> None:
    dispatcher = Dispatcher(RULES, Settings())
    dispatcher.emit(event)
    assert len(dispatcher.findings) == 1, dispatcher.findings
    assert dispatcher.findings[0].code != "CUD900", dispatcher.findings


FILE_BUDGET, FILE_CAP = 250, 400
FUNCTION_BUDGET, FUNCTION_CAP = 40, 80


def sizes() -> Iterator[tuple[str, int, int, int]]:
    """(what, lines, budget, cap) of every module and function."""
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        name = file.relative_to(ROOT).as_posix()
        yield name, len(text.splitlines()), FILE_BUDGET, FILE_CAP
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                yield f"{name}:{node.lineno} {node.name}", lines, FUNCTION_BUDGET, FUNCTION_CAP


def test_modules_and_functions_stay_small() -> None:
    """Over the budget is a warning, over the cap a failure."""
    over = [(what, lines, budget, cap) for what, lines, budget, cap in sizes() if lines > budget]
    if over:
        listed = "".join(f"\n  {what}: {lines} lines of {budget}" for what, lines, budget, _ in over)
        warnings.warn(f"over the budget of lines:{listed}", stacklevel=1)
    assert not [what for what, lines, _, cap in over if lines > cap]
