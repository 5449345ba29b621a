"""Rules as SARIF describes them (§3.49): what they are called, what they find, and their page as help."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from cudnnlint.finding import Level
from cudnnlint.report.model import Report, RulePage


def descriptors(report: Report, names: Iterable[str], levels: Mapping[Level, str]) -> list[dict[str, Any]]:
    """In the order of `names`; a rule without a page has its code only."""
    return [_descriptor(report.rules[name], levels) if name in report.rules else _bare(report, name) for name in names]


def _bare(report: Report, name: str) -> dict[str, Any]:
    return {"id": next(finding.code for finding in report.findings if finding.rule == name), "name": name}


def _descriptor(rule: RulePage, levels: Mapping[Level, str]) -> dict[str, Any]:
    page = rule.page.strip() + "\n"
    documentation = project_url("documentation").rstrip("/")
    link = {"helpUri": f"{documentation}/rules/{rule.name}.md"} if documentation else {}
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": section(page, "Why is this bad?") or rule.summary},
        "help": {"text": page, "markdown": page},
        **link,
        "defaultConfiguration": {"level": levels[rule.level]},
        "properties": {"precision": "high", "problem.severity": _severity(rule.level), "tags": ["correctness"]},
    }


def section(page: str, title: str) -> str:
    """The text under a heading, as one paragraph.

    >>> section("A.\\n\\n## Why\\nIt\\nfails.\\n\\n## More\\n", "Why")
    'It fails.'
    """
    return " ".join(page.partition(f"## {title}\n")[2].partition("\n## ")[0].split())


def _severity(level: Level) -> str:
    """As GitHub calls it (docs.github.com, "SARIF support for code scanning": problem.severity)."""
    return "recommendation" if level is Level.INFO else level.value


@functools.cache
def project_url(*labels: str) -> str:
    """The first of these Project-URLs that the installed package declares; "" if it declares none."""
    from importlib import metadata

    try:
        urls = metadata.metadata("cudnnlint").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    named = {label.strip().lower(): url.strip() for label, _, url in (entry.partition(",") for entry in urls)}
    return next((named[label] for label in labels if label in named), "")
