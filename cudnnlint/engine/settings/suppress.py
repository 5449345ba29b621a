"""Comments that silence findings: `# noqa`, `# cudnnlint: ignore[rule]`, and those about a whole file."""

from __future__ import annotations

import re
from functools import cached_property

from cudnnlint.finding import Finding
from cudnnlint.source import Source

_CODE = r"[A-Z]+[0-9]+"
_NAME = r"[A-Z]+(?:-[A-Z0-9]+)+"
_ITEM = rf"(?:{_NAME}|{_CODE})\b"
_LIST = rf"{_ITEM}(?:[,\s]+{_ITEM})*"
_NOQA = rf"(?i)#\s*noqa\b(?:\s*:\s*(?P<items>{_LIST}))?"
"""As flake8 reads it (flake8/defaults.py: NOQA_INLINE_REGEX), with rule names besides codes."""
_IGNORE = r"(?i)#\s*cudnnlint\s*:\s*ignore\b(?:\s*\[(?P<items>[^\]]*)\])?"
_FILE = rf"(?i)\s*#\s*(?:cudnnlint\s*:\s*skip-file\b|flake8\s*[:=]\s*noqa\b(?:\s*:\s*(?P<items>{_LIST}))?)"
_EVERYTHING = ""
"""A prefix of every code."""


class Suppressions:
    """The comments of one file."""

    def __init__(self, source: Source) -> None:
        self._lines = source.lines
        text = source.text.lower()
        self._speaks_of_file = "skip-file" in text or "flake8" in text

    @property
    def skips_file(self) -> bool:
        """Whether a line of its own says `# cudnnlint: skip-file` or `# flake8: noqa`."""
        return _EVERYTHING in self._file_items

    def silences(self, finding: Finding, *, noqa: bool = True) -> bool:
        """Whether a comment on the finding's first or last line, or about the file, means it.

        With `noqa` false only our own comments count: flake8 judges `# noqa` itself.
        """
        if _means(self._file_items, finding):
            return True
        patterns = (_NOQA, _IGNORE) if noqa else (_IGNORE,)
        lines = {finding.span.line, finding.span.end_line}
        return any(_means(_items(found["items"]), finding)
                   for line in lines if 0 < line <= len(self._lines)
                   for pattern in patterns for found in re.finditer(pattern, self._lines[line - 1]))

    @cached_property
    def _file_items(self) -> frozenset[str]:
        if not self._speaks_of_file:
            return frozenset()
        found = filter(None, (re.match(_FILE, line) for line in self._lines))
        return frozenset(item for each in found for item in _items(each["items"]))


def _items(text: str | None) -> frozenset[str]:
    """Codes and names in lower case; no list at all means everything."""
    if text is None:
        return frozenset({_EVERYTHING})
    return frozenset(re.split(r"[,\s]+", text.strip().lower())) - {""}


def _means(items: frozenset[str], finding: Finding) -> bool:
    """Names are whole, codes may be prefixes, as in flake8."""
    return any(item == finding.rule or finding.code.lower().startswith(item) for item in items)
