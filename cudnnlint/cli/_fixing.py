"""`--fix` and `--diff`: what is repaired is written or shown, and what is not is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cudnnlint.cli._ending import warn
from cudnnlint.finding import Applicability, Finding
from cudnnlint.fix.files import NEWLINE, Fixed, write
from cudnnlint.fix.rounds import Repair, repair
from cudnnlint.report._place import Place, place
from cudnnlint.report._summary import fixable
from cudnnlint.report.model import Report
from cudnnlint.source.unsaved import holding

SAFE = frozenset({Applicability.SAFE})
UNSAFE = SAFE | {Applicability.UNSAFE}


Again = Callable[[Sequence[str] | None], Report]
"""Lints these paths, or those of the command line."""


def repaired(report: Report, again: Again, *, unsafe: bool) -> Repair:
    """What `--fix` would do, tried in memory; nothing is written. Raises OSError for a file not readable."""

    def lint(files: Mapping[str, bytes], paths: Sequence[str] | None) -> Report:
        with holding(files):
            return again(paths)

    return repair(report, lint, UNSAFE if unsafe else SAFE)


def fix(report: Report, again: Again, *, unsafe: bool) -> Report:
    """The report on what is left; says on standard error what was fixed. Raises OSError for a file not writable."""
    done = repaired(report, again, unsafe=unsafe)
    for each in done.files:
        write(each)
    for finding, where in zip(done.fixed, done.places, strict=True):
        warn(f"fixed {_told(finding, where)}")
    _tell_rest(done)
    return done.report


def diff(report: Report, again: Again, *, unsafe: bool) -> str:
    """What `fix` would change, as unified diffs."""
    done = repaired(report, again, unsafe=unsafe)
    _tell_rest(done)
    if not done.files and not unsafe and (waiting := fixable(done.report.findings, Applicability.UNSAFE)):
        warn(f"nothing to change; {waiting} fixable with --unsafe-fixes")
    return "".join(_unified(each) for each in done.files)


def _tell_rest(done: Repair) -> None:
    """The fixes that were tried and not kept."""
    for finding, reason in done.dropped:
        warn(f"not fixed {_told(finding, place(done.report, finding.span))}: {reason}")


def _told(finding: Finding, where: Place) -> str:
    title = finding.fix.title if finding.fix is not None else ""
    return f"{where}: {finding.code} {finding.rule}: {title}"


def _unified(fixed: Fixed) -> str:
    before, after = fixed.file.notebook, fixed.after.notebook
    if before is None or after is None:
        return _difference(fixed.file.path, fixed.file.text, fixed.after.text)
    cells = zip(before.cells, after.cells, strict=True)
    return "".join(_difference(f"{fixed.file.path}:cell {old.number}", old.source.text, new.source.text)
                   for old, new in cells)


def _difference(name: str, before: str, after: str) -> str:
    from difflib import unified_diff

    lines = unified_diff(_lines(before), _lines(after), name, name)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Each with its end as `\\n`; only the last may lack it."""
    *whole, last = NEWLINE.split(text)
    return [line + "\n" for line in whole] + ([last] if last else [])
