"""Carries safe fixes out: text edits in one file, kept only if they do not overlap and the result still parses."""

from __future__ import annotations

import itertools
import os
import re
import tempfile
import tokenize
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cudnnlint.finding import Applicability, Edit, Finding
from cudnnlint.source import Span

NEWLINE = re.compile(r"\r\n|\r|\n")
NOTEBOOK = ".ipynb"


@dataclass(frozen=True, slots=True)
class File:
    """A file's text as it is on disk, line ends untouched; a byte order mark is part of the encoding."""

    path: str
    text: str
    encoding: str

    @property
    def newline(self) -> str:
        """The line end to write: that of the first line."""
        found = NEWLINE.search(self.text)
        return found[0] if found else "\n"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file before and after, and the findings whose fix is in `after`."""

    file: File
    after: str
    findings: tuple[Finding, ...]


def fix_file(path: str, findings: Iterable[Finding], lines: Sequence[str] | None = None) -> Fixed | None:
    """The fix of one file; nothing is written. None if no safe fix can be kept.

    `lines` is the text that the findings speak of: a file that has changed since is left alone.
    """
    wanted = [finding for finding in findings if _is_safe(finding, path)]
    if not wanted or path.endswith(NOTEBOOK):
        return None
    file = read(path)
    if lines is not None and NEWLINE.split(file.text) != [line.rstrip("\r\n") for line in lines]:
        return None
    kept = _compatible(wanted, file)
    if not parses(_edited(file, kept), path):
        kept = _one_by_one(file, kept)
    return Fixed(file, _edited(file, kept), tuple(kept)) if kept else None


def read(path: str) -> File:
    """Raises OSError, SyntaxError (unknown encoding) or UnicodeDecodeError."""
    with open(path, "rb") as stream:
        encoding, _ = tokenize.detect_encoding(stream.readline)
        stream.seek(0)
        return File(path, stream.read().decode(encoding), encoding)


def write(fixed: Fixed) -> None:
    """Replaces the file at once, through symbolic links, with its mode kept. Raises OSError."""
    target = os.path.realpath(fixed.file.path)
    mode = os.stat(target).st_mode
    if not os.access(target, os.W_OK):
        raise PermissionError(f"{fixed.file.path}: not writable")
    data = fixed.after.encode(fixed.file.encoding)
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".cudnnlint-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def parses(text: str, path: str) -> bool:
    """Whether Python accepts the text; nothing is run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _is_safe(finding: Finding, path: str) -> bool:
    fix = finding.fix
    return (fix is not None and fix.applicability is Applicability.SAFE and bool(fix.edits)
            and all(edit.span.path == path for edit in fix.edits))


def _edits(finding: Finding) -> tuple[Edit, ...]:
    return finding.fix.edits if finding.fix is not None else ()


def _compatible(findings: Iterable[Finding], file: File) -> list[Finding]:
    """Those whose edits lie inside the file and do not touch an earlier finding's; all edits of a fix or none."""
    starts = _line_starts(file.text)
    taken: list[tuple[int, int]] = []
    kept = []
    for finding in sorted(findings, key=lambda finding: finding.span[1:]):
        regions = [_region(edit.span, starts, file.text) for edit in _edits(finding)]
        inside = [region for region in regions if region is not None]
        if len(inside) == len(regions) and _disjoint(sorted([*taken, *inside])):
            taken += inside
            kept.append(finding)
    return kept


def _disjoint(regions: Sequence[tuple[int, int]]) -> bool:
    """Two insertions at one place have no order, so they count as overlapping."""
    return all(a[1] <= b[0] and a != b for a, b in itertools.pairwise(regions))


def _one_by_one(file: File, findings: Iterable[Finding]) -> list[Finding]:
    kept: list[Finding] = []
    for finding in findings:
        if parses(_edited(file, [*kept, finding]), file.path):
            kept.append(finding)
    return kept


def _edited(file: File, findings: Iterable[Finding]) -> str:
    starts = _line_starts(file.text)
    placed = [(region, edit.text) for finding in findings for edit in _edits(finding)
              if (region := _region(edit.span, starts, file.text)) is not None]
    text = file.text
    for (start, end), new in sorted(placed, reverse=True):
        text = text[:start] + NEWLINE.sub(lambda _: file.newline, new) + text[end:]
    return text


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in NEWLINE.finditer(text))]


def _region(span: Span, starts: Sequence[int], text: str) -> tuple[int, int] | None:
    """Offsets of a span, or None when it lies outside the text."""
    if not 1 <= span.line <= span.end_line <= len(starts):
        return None
    start = starts[span.line - 1] + span.column
    end = starts[span.end_line - 1] + span.end_column
    return (start, end) if start <= end <= len(text) else None
