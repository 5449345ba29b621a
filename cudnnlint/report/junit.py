"""JUnit's XML, for services that show the results of tests: a suite a file, a failed test a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from cudnnlint.finding import Finding
from cudnnlint.report._cells import one_line
from cudnnlint.report._details import details
from cudnnlint.report._paths import in_repository
from cudnnlint.report._place import place
from cudnnlint.report.model import Report

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write (https://www.w3.org/TR/xml/#charsets)."""


def render(report: Report, *, color: bool = False, quiet: bool = False) -> str:
    """Never coloured; `quiet` changes nothing, a document is always whole."""
    return "\n".join(_document(report)) + "\n"


def _document(report: Report) -> Iterator[str]:
    paths = list(dict.fromkeys([*report.files, *(finding.span.path for finding in report.findings)]))
    suites = [(path, [finding for finding in report.findings if finding.span.path == path]) for path in paths]
    failures = len(report.findings)
    passed = sum(not found for _, found in suites)
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield f'<testsuites name="cudnnlint" tests="{failures + passed}" failures="{failures}" errors="0">'
    for path, found in suites:
        yield from _suite(report, path, found)
    yield "</testsuites>"


def _suite(report: Report, path: str, found: Sequence[Finding]) -> Iterator[str]:
    name = _attribute(in_repository(path))
    yield f'  <testsuite name={name} tests="{max(len(found), 1)}" failures="{len(found)}" errors="0">'
    if not found:
        yield f'    <testcase classname={name} name="cudnnlint"/>'
    for finding in found:
        where = place(report, finding.span)
        title = _attribute(f"{finding.code} {finding.rule} ({where.within}:{where.column})")
        text = "\n".join([f"{where}: {one_line(finding.message)}", *details(finding)])
        line = f' line="{where.line}"' if where.cell is None else ""
        yield f"    <testcase classname={name} name={title}{line}>"
        yield (f"      <failure type={_attribute(finding.level.value)} message={_attribute(finding.message)}>"
               f"{escape(_written(text))}</failure>")
        yield "    </testcase>"
    yield "  </testsuite>"


def _attribute(text: str) -> str:
    return quoteattr(_written(one_line(text)))


def _written(text: str) -> str:
    """
    >>> _written("a\\x1bb")
    'a\\ufffdb'
    """
    return _NOT_XML.sub("\ufffd", text)
