"""The format for programs: one JSON document, described by docs/schema/report.schema.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cudnnlint import __version__
from cudnnlint.finding import Applicability, Claim, Finding, Label, Recipe, Verification
from cudnnlint.report._place import place
from cudnnlint.report._summary import by_level, by_rule, files_with_findings, fixable
from cudnnlint.report.model import Report
from cudnnlint.source import Span
from cudnnlint.values.stack import dotted

FORMAT_VERSION = 1
"""Raised when a reader of the former documents would misread a new one."""


def render(report: Report, *, color: bool = False, quiet: bool = False) -> str:
    """Never coloured; `quiet` changes nothing, a document is always whole."""
    return json.dumps(document(report), indent=2) + "\n"


def document(report: Report) -> dict[str, Any]:
    """What is printed, as plain data."""
    return {
        "version": FORMAT_VERSION,
        "cudnnlint": __version__,
        "findings": [_finding(report, finding) for finding in report.findings],
        "summary": _summary(report),
        "notes": [str(note) for note in report.notes],
    }


def _finding(report: Report, finding: Finding) -> dict[str, Any]:
    return {
        **_place(report, finding.span),
        "rule": finding.rule,
        "code": finding.code,
        "level": finding.level.value,
        "message": finding.message,
        "help": finding.help,
        "fails": finding.fails,
        "trace": [_label(report, label) for label in finding.trace],
        "calls": [_place(report, span) for span in finding.calls],
        "also": [_place(report, span) for span in finding.also],
        "assumptions": list(finding.assumptions),
        "stacks": _stacks(report, finding),
        "fix": None if finding.fix is None else _fix(report, finding.fix),
        "claim": None if finding.claim is None else _claim(finding.claim),
        "verification": None if finding.verification is None else verification(finding.verification),
    }


def _stacks(report: Report, finding: Finding) -> dict[str, str]:
    """The versions that the verdict is about, and where they were found."""
    stack = report.stack_of(finding)
    if stack is None:
        return {}
    return {"keras": dotted(stack.keras), "tensorflow": dotted(stack.tensorflow), "cudnn": dotted(stack.cudnn),
            "torch": dotted(stack.torch),
            "source": stack.source}


def _place(report: Report, span: Span) -> dict[str, Any]:
    where = place(report, span)
    return {"path": where.path, "cell": where.cell, "line": where.line, "column": where.column,
            "end_line": where.end_line, "end_column": where.end_column}


def _label(report: Report, label: Label) -> dict[str, Any]:
    return {**_place(report, label.span), "text": label.text}


def _fix(report: Report, fix: Recipe) -> dict[str, Any]:
    edits = [{**_place(report, edit.span), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "applicability": fix.applicability.value, "edits": edits,
            "applied_by_fix": fix.applicability is Applicability.SAFE}


def _claim(claim: Claim) -> dict[str, Any]:
    return {"kind": claim.kind, "facts": {name: plain(value) for name, value in claim.facts}}


def verification(told: Verification) -> dict[str, Any]:
    return {"verdict": told.verdict, "backend": told.backend, "device": told.device, "versions": dict(told.versions),
            "error": told.error, "seconds": told.seconds, "peak_bytes": told.peak_bytes, "note": told.note}


def plain(value: Any) -> Any:
    """Any value as JSON: what has no counterpart there becomes its text.

    >>> plain((1, None, {"a": 2 + 0j}))
    [1, None, {'a': '(2+0j)'}]
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return str(value)


def _summary(report: Report) -> dict[str, Any]:
    return {
        "findings": len(report.findings),
        **{f"{level}s": count for level, count in by_level(report.findings).items()},
        "files": files_with_findings(report.findings),
        "files_checked": len(report.files),
        "fixable": fixable(report.findings),
        "fixable_unsafely": fixable(report.findings, Applicability.UNSAFE),
        "rules": {rule: count for count, _, rule in by_rule(report.findings)},
    }
