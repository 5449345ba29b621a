"""SARIF 2.1.0, for GitHub code scanning and its like: findings with their rules' pages and the steps that led there.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html (§ below)
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

from cudnnlint import __version__
from cudnnlint.finding import Finding, Label, Level, Recipe
from cudnnlint.report._details import details
from cudnnlint.report._fingerprint import fingerprints
from cudnnlint.report._paths import in_repository, uri
from cudnnlint.report._place import Place, place
from cudnnlint.report._sarif_rules import descriptors, project_url
from cudnnlint.report.json import verification
from cudnnlint.report.model import Report
from cudnnlint.values.stack import dotted

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "%SRCROOT%"
"""What relative URIs are relative to: the repository's root (§3.4.4)."""
ALSO = "fails for the same reason"
LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}


def render(report: Report, *, color: bool = False, quiet: bool = False) -> str:
    """Never coloured; `quiet` changes nothing, a document is always whole."""
    return json.dumps(document(report), indent=2) + "\n"


def document(report: Report) -> dict[str, Any]:
    """What is printed, as plain data."""
    known = list(dict.fromkeys(finding.rule for finding in report.findings))
    driver = {"name": "cudnnlint", "semanticVersion": __version__,
              **_given(informationUri=project_url("source", "repository", "homepage")),
              "rules": descriptors(report, known, LEVELS)}
    results = [_result(report, finding, known.index(finding.rule), fingerprint)
               for finding, fingerprint in zip(report.findings, fingerprints(report), strict=True)]
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": [
            {"level": "note", "message": text(note)} for note in report.notes]}],
        "originalUriBaseIds": {BASE: {"description": {"text": "the root of the repository"}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(report: Report, finding: Finding, rule: int, fingerprint: str) -> dict[str, Any]:
    where = place(report, finding.span)
    heading = finding.message if where.cell is None else f"{where.within}: {finding.message}"
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": LEVELS[finding.level],
        "message": text("\n".join([heading, *details(finding)])),
        "locations": [_location(where)],
        "partialFingerprints": {"cudnnlint/v1": fingerprint},
        **_given(codeFlows=_flow(report, finding), stacks=_calls(report, finding),
                 relatedLocations=[_location(place(report, span), ALSO) for span in finding.also],
                 fixes=[] if finding.fix is None else _fix(report, finding.fix)),
        "properties": _properties(report, finding),
    }


def text(content: str) -> dict[str, str]:
    """A plain text message; braces, which would be placeholders, are doubled (§3.11.5).

    >>> text("{x}")
    {'text': '{{x}}'}
    """
    return {"text": content.replace("{", "{{").replace("}", "}}")}


def _location(where: Place, message: str = "") -> dict[str, Any]:
    """A notebook's lines are counted by cell, which SARIF has no region for: its cell is a logical location (§3.33)."""
    region = {"startLine": where.line, "startColumn": where.column, "endLine": where.end_line,
              "endColumn": where.end_column}
    found: dict[str, Any] = {"physicalLocation": {
        "artifactLocation": _artifact(where.path), "region": region if where.cell is None else {"startLine": 1}}}
    if where.cell is not None:
        found["logicalLocations"] = [{"name": f"cell {where.cell}", "kind": "notebook cell",
                                      "fullyQualifiedName": f"cell {where.cell}:{where.line}:{where.column}"}]
    return {**found, **({"message": text(message)} if message else {})}


def _artifact(path: str) -> dict[str, str]:
    reference = uri(in_repository(path))
    return {"uri": reference} if reference.startswith("file:") else {"uri": reference, "uriBaseId": BASE}


def _flow(report: Report, finding: Finding) -> list[dict[str, Any]]:
    """The provenance, oldest first, ending at the finding (§3.36)."""
    if not finding.trace:
        return []
    steps = [*finding.trace, Label(finding.span, finding.message)]
    return [{"threadFlows": [{"locations": [
        {"location": _location(place(report, step.span), step.text)} for step in steps]}]}]


def _calls(report: Report, finding: Finding) -> list[dict[str, Any]]:
    """The calls under way: a stack, which begins with the innermost (§3.44)."""
    if not finding.calls:
        return []
    spans = [finding.span, *reversed(finding.calls)]
    return [{"frames": [{"location": _location(place(report, span))} for span in spans]}]


def _fix(report: Report, fix: Recipe) -> list[dict[str, Any]]:
    """Edits by file (§3.55); none for a notebook, whose text is not its file's."""
    edits = sorted(fix.edits, key=lambda edit: edit.span)
    places = [place(report, edit.span) for edit in edits]
    if not edits or any(where.cell is not None for where in places):
        return []
    changes = [{"artifactLocation": _artifact(name),
                "replacements": [{"deletedRegion": _location(place(report, edit.span))["physicalLocation"]["region"],
                                  "insertedContent": {"text": edit.text}} for edit in group]}
               for name, group in groupby(edits, key=lambda edit: edit.span.path)]
    return [{"description": text(fix.title), "artifactChanges": changes}]


def _properties(report: Report, finding: Finding) -> dict[str, Any]:
    """What SARIF has no place for: assumptions, and the versions that the verdict is about."""
    stack = report.stack_of(finding)
    versions = {} if stack is None else {"keras": dotted(stack.keras), "tensorflow": dotted(stack.tensorflow),
                                         "cudnn": dotted(stack.cudnn), "torch": dotted(stack.torch)}
    return _given(rule=finding.rule, assumptions=list(finding.assumptions), stack=versions,
                  verification={} if finding.verification is None else verification(finding.verification))


def _given(**properties: Any) -> dict[str, Any]:
    """Those that are not empty."""
    return {name: value for name, value in properties.items() if value}
