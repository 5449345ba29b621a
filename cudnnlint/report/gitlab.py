"""The Code Quality report of GitLab (artifacts:reports:codequality), shown in merge requests."""

from __future__ import annotations

import json
from typing import Any

from cudnnlint.finding import Finding, Level
from cudnnlint.report._cells import one_line
from cudnnlint.report._fingerprint import fingerprints
from cudnnlint.report._paths import in_repository
from cudnnlint.report._place import place
from cudnnlint.report.model import Report

SEVERITIES = {Level.ERROR: "critical", Level.WARNING: "major", Level.INFO: "info"}
"""Of info, minor, major, critical, blocker (https://docs.gitlab.com/ci/testing/code_quality/)."""


def render(report: Report, *, color: bool = False, quiet: bool = False) -> str:
    """Never coloured; `quiet` changes nothing, a document is always whole."""
    entries = [_entry(report, finding, known) for finding, known
               in zip(report.findings, fingerprints(report), strict=True)]
    return json.dumps(entries, indent=2) + "\n"


def _entry(report: Report, finding: Finding, fingerprint: str) -> dict[str, Any]:
    where = place(report, finding.span)
    message = one_line(finding.message) if where.cell is None else f"{where.within}: {one_line(finding.message)}"
    lines = {"begin": where.line, "end": where.end_line} if where.cell is None else {"begin": 1}
    return {
        "description": f"{finding.code} {finding.rule}: {message}",
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": SEVERITIES[finding.level],
        "location": {"path": in_repository(where.path), "lines": lines},
    }
