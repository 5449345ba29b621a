"""A program as it is after its fixes, tried by the engine like those of the command line."""

from __future__ import annotations

from pathlib import Path

from cudnnlint.cli._fixing import repaired
from cudnnlint.engine.run import check
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.fix.rounds import Repair


def repair_of(path: Path, *, unsafe: bool = True, settings: Settings | None = None) -> Repair:
    """All fixes of one file; nothing is written."""
    chosen = settings or Settings(select=("ALL",))
    return repaired(check([path], chosen), lambda paths: check(paths or [path], chosen), unsafe=unsafe)


def text_after(path: Path, done: Repair) -> str:
    return next((each.after.text for each in done.files), path.read_text(encoding="utf-8"))
