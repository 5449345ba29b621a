"""`--fix` and `--diff`: what is repaired is written or shown, and what is not is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from cudnnlint.cli._ending import warn
from cudnnlint.finding import Applicability, Finding
from cudnnlint.fix.files import NEWLINE, Fixed, write
from cudnnlint.fix.resolve import NOTEBOOK
from cudnnlint.fix.rounds import Repair, repair
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
    for finding in done.fixed:
        warn(f"fixed {_told(finding)}")
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
    """The fixes that were tried and not kept, and the notebooks."""
    for finding, reason in done.dropped:
        warn(f"not fixed {_told(finding)}: {reason}")
    for path in dict.fromkeys(_notebooks(done.report)):
        warn(f"{path}: notebooks are not rewritten; its findings say what to change")


def _notebooks(report: Report) -> Iterator[str]:
    for finding in report.findings:
        if finding.fix is not None and finding.span.path.endswith(NOTEBOOK):
            yield finding.span.path


def _told(finding: Finding) -> str:
    title = finding.fix.title if finding.fix is not None else ""
    return f"{finding.span.path}:{finding.span.line}:{finding.span.column + 1}: {finding.code} {finding.rule}: {title}"


def _unified(fixed: Fixed) -> str:
    from difflib import unified_diff

    lines = unified_diff(_lines(fixed.file.text), _lines(fixed.after), fixed.file.path, fixed.file.path)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Each with its end as `\\n`; only the last may lack it."""
    *whole, last = NEWLINE.split(text)
    return [line + "\n" for line in whole] + ([last] if last else [])
