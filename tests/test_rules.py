"""What holds for every rule: one a file, every kind of problem told once, findings in one style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cudnnlint.devtools.pages import Block, blocks_of, claims_of, findings_of, is_linted
from cudnnlint.engine import registry
from cudnnlint.engine.dispatch import Dispatcher
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.events import Rejected
from cudnnlint.finding import Finding
from cudnnlint.ops.protocol import LAYERS
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Mismatch, Problem, Stack

ROOT = Path(__file__).parents[1]
RULES = tuple(registry.rules().values())
HELPERS = {"protocol", "wording", "losses", "ancestry", "endings", "fixes", "amounts", "listing", "masked_rows",
           "comparisons", "outputs", "histories", "labels"}


def test_every_module_of_a_group_holds_one_rule() -> None:
    files = (ROOT / "cudnnlint" / "rules").rglob("*.py")
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files
               if file.stem != "__init__" and file.stem not in HELPERS}
    assert sorted(modules) == sorted(rule.check.__module__ for rule in RULES)


def rejections() -> Iterator[Rejected]:
    """A function's failure of each kind."""
    facts = (("expected", (BATCH, 2)), ("actual", (BATCH, 3)), ("epsilon", -1.0), ("dtype", "uint8"))
    for problem in Problem:
        yield Rejected(span=Span("x.py", 1, 0, 1, 1), stack=Stack(), what="tf.f", stage="call",
                       mismatch=Mismatch(problem, "message", error="ValueError", argument="size", facts=facts))


@pytest.mark.parametrize("event", rejections(), ids=lambda event: event.mismatch.problem.name)
def test_every_problem_is_told_by_one_rule(event: Rejected) -> None:
    dispatcher = Dispatcher(registry.listed().values(), Settings())
    dispatcher.emit(event)
    assert len(dispatcher.findings) == 1, dispatcher.findings
    assert dispatcher.findings[0].code != "CUD900", dispatcher.findings


PAGES = [*sorted((ROOT / "cudnnlint" / "rules").rglob("*.py")), *sorted((ROOT / "tests" / "specs").glob("*.md"))]
BLOCKS = [block for page in PAGES for block in blocks_of(page, ROOT)
          if is_linted(block) and any(claim.kind == "error" for claim in claims_of(block.code))]
EXCEPTIONS = ("ValueError", "Keras", "TensorFlow", "TypeError", "Functional")


def is_class_of_keras(word: str) -> bool:
    """`layers.concatenate` makes a Concatenate."""
    return f"keras.layers.{word}" in LAYERS


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
            assert not text[0].isupper() or first.rpartition(".")[2] in block.code or first in EXCEPTIONS \
                or is_class_of_keras(first), text
