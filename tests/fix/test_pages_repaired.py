"""The fixes of the findings on rule pages repair them, and say on the page that they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cudnnlint.devtools.pages import Block, blocks_of, claims_of
from cudnnlint.engine import registry
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.finding import Applicability
from tests.fix.repairing import repair_of

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "cudnnlint" / "rules").rglob("*.py"))
BLOCKS = [block for page in PAGES for block in blocks_of(page, ROOT)
          if block.language == "python" and any(claim.kind == "error" for claim in claims_of(block.code))]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_what_has_a_fix_is_repaired(block: Block, tmp_path: Path) -> None:
    path = tmp_path / block.info.get("file", "example.py")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.code, encoding="utf-8")
    versions: dict[str, Any] = {name: block.info.get(name, "") for name in ("keras", "tensorflow", "cudnn", "torch")}
    settings = Settings(select=("ALL",), **versions)
    offered = [finding for finding in check([path], settings).findings
               if finding.fix is not None and finding.fix.applicability is not Applicability.DISPLAY]
    pages = registry.rules()
    assert [finding.rule for finding in offered if "\n## Fix\n" not in pages[finding.rule].page] == []
    if offered:
        done = repair_of(path, settings=settings)
        assert done.dropped == ()
        assert {finding.rule for finding in offered} <= {finding.rule for finding in done.fixed}
