"""Which fixes go together, and the text that they make of the files."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from cudnnlint.finding import Edit, Finding
from cudnnlint.fix.files import File

Region = tuple[int, int]
Placed = dict[str, dict[tuple[Region, str], None]]
"""By path: the offsets that are replaced, and by what; an edit that two findings ask for is there once."""


def compatible(findings: Iterable[Finding], files: Mapping[str, File]) -> list[Finding]:
    """Those whose edits lie inside the files and do not touch an earlier finding's; all edits of a fix or none."""
    taken: Placed = {}
    kept = []
    for finding in sorted(findings, key=lambda finding: finding.span):
        with_it = {path: dict(edits) for path, edits in taken.items()}
        if place(finding, files, with_it) and all(map(_disjoint, with_it.values())):
            taken = with_it
            kept.append(finding)
    return kept


def place(finding: Finding, files: Mapping[str, File], placed: Placed) -> bool:
    """Add the edits of a finding; False if one of them lies outside the files."""
    for edit in edits_of(finding):
        file = files.get(edit.span.path)
        region = file.region(edit.span) if file is not None else None
        if region is None:
            return False
        placed.setdefault(edit.span.path, {})[region, edit.text] = None
    return True


def placed(findings: Iterable[Finding], files: Mapping[str, File]) -> Placed:
    """The edits of all findings, by file."""
    found: Placed = {}
    for finding in findings:
        place(finding, files, found)
    return found


def edits_of(finding: Finding) -> tuple[Edit, ...]:
    return finding.fix.edits if finding.fix is not None else ()


def _disjoint(edits: Iterable[tuple[Region, str]]) -> bool:
    """Two insertions at one place have no order, so they count as overlapping."""
    regions: Sequence[Region] = sorted(region for region, _ in edits)
    return all(a[1] <= b[0] and a != b for a, b in itertools.pairwise(regions))
