"""Counts findings and words the last line of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cudnnlint.finding import Applicability, Finding, Level
from cudnnlint.report.model import Report

CLEAN = "All checks passed."


def plural(count: int, noun: str) -> str:
    """
    >>> plural(1, "error"), plural(2, "error")
    ('1 error', '2 errors')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def by_level(findings: Iterable[Finding]) -> dict[str, int]:
    """Every level in order of weight, zeros included."""
    counts = Counter(finding.level for finding in findings)
    return {level.value: counts[level] for level in Level}


def by_rule(findings: Iterable[Finding]) -> list[tuple[int, str, str]]:
    """(count, code, rule), the most frequent first."""
    counts = Counter((finding.code, finding.rule) for finding in findings)
    return sorted(((count, *rule) for rule, count in counts.items()), key=lambda row: (-row[0], row[1]))


def fixable(findings: Iterable[Finding], how: Applicability = Applicability.SAFE) -> int:
    """How many `--fix` would try, or `--unsafe-fixes` besides."""
    return sum(is_fixable(finding, how) for finding in findings)


def is_fixable(finding: Finding, how: Applicability = Applicability.SAFE) -> bool:
    return finding.fix is not None and finding.fix.applicability is how


def offer(findings: Iterable[Finding]) -> str:
    """`[*] 2 fixable with --fix, 1 more with --unsafe-fixes.`, or nothing."""
    told = tuple(findings)
    safe, unsafe = fixable(told), fixable(told, Applicability.UNSAFE)
    if not safe:
        return f"{unsafe} fixable with --fix --unsafe-fixes." if unsafe else ""
    more = f", {unsafe} more with --unsafe-fixes" if unsafe else ""
    return f"[*] {safe} fixable with --fix{more}."


def files_with_findings(findings: Iterable[Finding]) -> int:
    return len({finding.span.path for finding in findings})


def summary(report: Report) -> list[str]:
    """`Found 1 error in 1 file.`, and what `--fix` could do; or that all checks passed."""
    if not report.findings:
        return [CLEAN]
    counted = [plural(count, level) for level, count in by_level(report.findings).items() if count]
    listed = counted[0] if len(counted) == 1 else ", ".join(counted[:-1]) + " and " + counted[-1]
    lines = [f"Found {listed} in {plural(files_with_findings(report.findings), 'file')}."]
    if offered := offer(report.findings):
        lines.append(offered)
    return lines


def statistics(report: Report) -> str:
    """One line a rule: count, code, name."""
    rows = by_rule(report.findings)
    digits = max((len(str(count)) for count, _, _ in rows), default=1)
    return "".join(f"{count:>{digits}} {code} {rule}\n" for count, code, rule in rows)
