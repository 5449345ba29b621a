"""Every example of every page is linted: rule pages, and the specifications of what the interpreter follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudnnlint.devtools.pages import Block, blocks_of, failures, is_linted

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "cudnnlint" / "rules").rglob("*.py")), *sorted((ROOT / "tests" / "specs").glob("*.md"))]
BLOCKS = [block for page in PAGES for block in blocks_of(page, ROOT)]


@pytest.mark.parametrize("block", [block for block in BLOCKS if is_linted(block)], ids=str)
def test_the_page_says_what_is_found(block: Block) -> None:
    siblings = [other for other in BLOCKS if other.page == block.page and other.number < block.number]
    problems = failures(block, siblings)
    assert not problems, "\n" + "\n".join(problems)
