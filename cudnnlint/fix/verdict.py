"""Whether what is found after a fix is what was found before, without what it repaired."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from cudnnlint.finding import Finding
from cudnnlint.fix.apply import Placed, Region
from cudnnlint.fix.files import NEWLINE, File, line_starts

NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
BRINGS = "it would bring"
Place = tuple[str, str, int]
"""Path, rule, and offset of the start in the text before."""


class Places:
    """Where findings stood before the edits: offsets of a text after them are taken back."""

    def __init__(self, files: Mapping[str, File], edits: Placed, after: Mapping[str, str]) -> None:
        self._before = {path: line_starts(file.text) for path, file in files.items()}
        self._after = {path: line_starts(text) for path, text in after.items()}
        self._edits = {path: _lengths(edits.get(path, {}), file) for path, file in files.items()}

    def before(self, finding: Finding) -> Place:
        return self._place(finding, self._before)

    def after(self, finding: Finding) -> Place:
        path, rule, offset = self._place(finding, self._after)
        return path, rule, _back(offset, self._edits[path]) if path in self._after else offset

    def _place(self, finding: Finding, starts: Mapping[str, list[int]]) -> Place:
        path, line, column = finding.span[:3]
        known = starts.get(path) if path in self._after else None
        offset = line * 1_000_000 + column if known is None else known[min(line, len(known)) - 1] + column
        return path, finding.rule, offset


def objection(repaired: Iterable[Finding], before: Iterable[Finding], after: Iterable[Finding],
              places: Places) -> str:
    """Why the fixes are not kept; "" if they repair what they are for and bring nothing new."""
    known = {places.before(finding) for finding in before}
    left = list(after)
    there = {(places.after(finding), _gist(finding)) for finding in left}
    for finding in repaired:
        if (places.before(finding), _gist(finding)) in there:
            return "it would change nothing"
    for finding in left:
        if places.after(finding) not in known:
            return f"{BRINGS} {finding.rule} in line {finding.span.line}: {finding.message}"
    return ""


def _gist(finding: Finding) -> str:
    """The message without its numbers, which a fix may change without repairing anything."""
    return NUMBER.sub("0", finding.message)


def _lengths(edits: Iterable[tuple[Region, str]], file: File) -> list[tuple[int, int, int]]:
    """(start, end, length of the new text) in order."""
    return sorted((start, end, len(NEWLINE.sub(file.newline, new))) for (start, end), new in edits)


def _back(offset: int, edits: Iterable[tuple[int, int, int]]) -> int:
    """An offset after the edits as it was before; what lies in new text was where that begins.

    >>> [_back(at, [(2, 2, 3), (6, 8, 0)]) for at in (1, 2, 4, 5, 9)]
    [1, 2, 2, 2, 8]
    """
    grown = 0
    for start, end, length in edits:
        if offset < start + grown:
            break
        if offset < start + grown + length:
            return start
        grown += length - (end - start)
    return offset - grown
