"""What the pages of rules show as errors, put to the Keras that the tests run with."""

from __future__ import annotations

import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from cudnnlint.devtools.pages import blocks_of, findings_of
from cudnnlint.engine import registry
from cudnnlint.engine.requirements.environment import site_packages
from cudnnlint.finding import Finding
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.run import verified

if find_spec("keras") is None or find_spec("tensorflow") is None:
    pytest.skip("the real library is asked", allow_module_level=True)

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "cudnnlint" / "rules").rglob("*.py"))


@pytest.fixture(scope="module")
def found() -> list[Finding]:
    registry.load()
    blocks = [block for page in PAGES for block in blocks_of(page, ROOT) if block.language == "python"]
    interpreter = Interpreter.of(sys.prefix, site_packages(sys.prefix))
    assert interpreter is not None
    return list(verified([finding for block in blocks for finding in findings_of(block)], interpreter))


def told(found: list[Finding], verdict: str) -> list[tuple[str, str, str]]:
    return [(each.rule, each.fails, each.verification.error) for each in found
            if each.verification is not None and each.verification.verdict == verdict]


def test_nothing_that_a_page_shows_is_refuted(found: list[Finding]) -> None:
    assert told(found, "refuted") == []


def test_what_the_library_says_is_what_we_say_that_it_says(found: list[Finding]) -> None:
    if not version("keras").startswith("3.15."):
        pytest.skip("pages are about the newest Keras")
    assert told(found, "different") == []
    assert len(told(found, "confirmed")) > 60
