"""`--fix` and `--diff`: applies what is safe and lints again, until nothing more can be fixed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from cudnnlint.cli._ending import warn
from cudnnlint.finding import Finding
from cudnnlint.fix.apply import NEWLINE, Fixed, fix_file, write
from cudnnlint.report.model import Report

MAX_ROUNDS = 10
"""A fix may uncover a finding with a fix; two that undo each other must end."""


def fix(report: Report, again: Callable[[], Report]) -> Report:
    """The report on what is left; says on standard error what was fixed. Raises OSError for a file not writable."""
    for _ in range(MAX_ROUNDS):
        changed = list(fixes(report))
        if not changed:
            break
        for each in changed:
            write(each)
            for finding in each.findings:
                warn(f"fixed {_told(finding)}")
        report = again()
    return report


def diff(report: Report) -> str:
    """What `fix` would change in its first round, as unified diffs."""
    return "".join(_unified(each) for each in fixes(report))


def fixes(report: Report) -> Iterator[Fixed]:
    """One for each file with a safe fix that can be kept."""
    for path, findings in groupby(report.findings, key=lambda finding: finding.span.path):
        source = report.sources.get(path)
        if source is not None and (fixed := fix_file(path, findings, source.lines)) is not None:
            yield fixed


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
