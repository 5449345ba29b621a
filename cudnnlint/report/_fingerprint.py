"""What a finding is known by from run to run, so that a service tells new findings from those of yesterday."""

from __future__ import annotations

import hashlib
from collections import Counter

from cudnnlint.report._paths import in_repository
from cudnnlint.report._place import line_at
from cudnnlint.report.model import Report


def fingerprints(report: Report) -> list[str]:
    """One for each finding, in order, all different.

    Of the rule, the file and the text of the line, not its number: code above may come and go. Of several alike,
    which one it is counts too.
    """
    seen: Counter[str] = Counter()
    found = []
    for finding in report.findings:
        line = " ".join((line_at(report, finding.span.path, finding.span.line) or "").split())
        key = "\0".join((finding.rule, in_repository(finding.span.path), line))
        seen[key] += 1
        found.append(hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return found
