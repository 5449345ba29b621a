"""Fixes in rounds, tried in memory: kept only if what they repair is gone and nothing new is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from cudnnlint.finding import Applicability, Finding
from cudnnlint.fix.apply import compatible, edits_of, placed
from cudnnlint.fix.files import File, Fixed, is_as_told, parses, read
from cudnnlint.fix.reach import Reach
from cudnnlint.fix.verdict import BRINGS, Places, objection
from cudnnlint.records import record
from cudnnlint.report._place import Place, place
from cudnnlint.report.model import Report

LONGEST_CHAIN, MOST_CHAINS = 8, 8
"""Fixes that follow from one another, and beginnings of such that are tried in a round."""
MAX_ROUNDS = 20
"""A fix may make room for another; two that undo each other must end."""
Lint = Callable[[Mapping[str, bytes], Sequence[str] | None], Report]
"""Lints these paths, or all if None, as if the files had these bytes."""


@record(frozen=True, slots=True)
class Repair:
    """What is left, the files that are to change, what was fixed and where it was, and what was not and why."""

    report: Report
    files: tuple[Fixed, ...] = ()
    fixed: tuple[Finding, ...] = ()
    places: tuple[Place, ...] = ()
    dropped: tuple[tuple[Finding, str], ...] = ()


def repair(report: Report, lint: Lint, wanted: frozenset[Applicability]) -> Repair:
    """Nothing is written. Raises OSError for a file that cannot be read."""
    work = _Work(report, lint, wanted)
    for _ in range(MAX_ROUNDS):
        if not work.round():
            break
    files = [Fixed(work.read[path], file) for path, file in sorted(work.files.items())
             if file.text != work.read[path].text]
    return Repair(work.report, tuple(files), tuple(work.fixed), tuple(work.places), tuple(work.dropped))


def causes(findings: Sequence[Finding]) -> list[Finding]:
    """Those that no other's fix stands before: it may make theirs needless, which the next round shows."""
    first = [finding for finding in findings if not any(_stands_before(other, finding) for other in findings)]
    return first or list(findings[:1])


def together(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Those that change the same files: what is wrong with one says nothing of the others."""
    groups: dict[frozenset[str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(frozenset(edit.span.path for edit in edits_of(finding)), []).append(finding)
    return list(groups.values())


def uncovered(findings: Iterable[Finding], before: Counter[tuple[str, str, str]]) -> Iterator[Finding]:
    """Those that were not there before, wherever they stood."""
    left = Counter(before)
    for finding in findings:
        if left[_identity(finding)] > 0:
            left[_identity(finding)] -= 1
        else:
            yield finding


def _identity(finding: Finding) -> tuple[str, str, str]:
    return finding.span.path, finding.rule, finding.message


def _stands_before(cause: Finding, finding: Finding) -> bool:
    """Whether a fix changes a line that led to a finding."""
    own = set(edits_of(finding))
    return any(label.span.path == edit.span.path and label.span.line <= edit.span.line <= label.span.end_line
               for edit in edits_of(cause) if edit not in own for label in finding.trace)


@record(slots=True)
class _Work:
    """`read` are the files as they are on disk, `files` as they are to be; `last` is the last report to be kept."""

    report: Report
    lint: Lint
    wanted: frozenset[Applicability]
    read: dict[str, File] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    fixed: list[Finding] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    dropped: list[tuple[Finding, str]] = field(default_factory=list)
    last: Report | None = None
    reach: Reach = field(init=False)

    def __post_init__(self) -> None:
        self.reach = Reach(self.report.files, self.report.sources)

    def round(self) -> bool:
        """Apply what goes together; False if nothing could be kept."""
        candidates = [finding for finding in self.report.findings if self._is_wanted(finding)]
        self.dropped = []
        kept: list[Finding] = []
        for group in together(compatible(causes(candidates), self.files)):
            kept += self._kept([], group, whole=False)
        if kept and self._tried(kept, whole=True):
            kept = self._kept([], kept, whole=True)
        if not kept or self.last is None:
            begun = [finding for finding, wrong in self.dropped if wrong.startswith(BRINGS)]
            return any(map(self._chained, begun[:MOST_CHAINS]))
        self.files.update(self._after(kept))
        self.fixed += kept
        self.places += [place(self.report, finding.span) for finding in kept]
        self.report = self.last
        return True

    def _kept(self, base: Sequence[Finding], findings: Sequence[Finding], *, whole: bool) -> list[Finding]:
        """`base` and those of the findings that can be kept besides: all, or what halving them finds."""
        if not findings:
            return list(base)
        wrong = self._tried([*base, *findings], whole=whole)
        if not wrong:
            return [*base, *findings]
        if len(findings) == 1:
            self.dropped.append((findings[0], wrong))
            return list(base)
        half = len(findings) // 2
        return self._kept(self._kept(base, findings[:half], whole=whole), findings[half:], whole=whole)

    def _tried(self, findings: Sequence[Finding], *, whole: bool) -> str:
        """Why these fixes are not kept; "" if they are, and `last` is the report with them if the whole was linted."""
        after = self._after(findings)
        if not all(parses(file, self.files[path]) for path, file in after.items()):
            return "the result would not parse"
        texts = {path: file.data for path, file in {**self.files, **after}.items()}
        report = self.lint(texts, None if whole else self.reach.of(after))
        places = Places({path: self.files[path] for path in after}, placed(findings, self.files),
                        {path: file.text for path, file in after.items()})
        wrong = objection(findings, self.report.findings, report.findings, places)
        self.last = report if whole and not wrong else self.last
        return wrong

    def _chained(self, first: Finding) -> bool:
        """Keep a fix that uncovers the next error together with those of what it uncovers, if all of that is gone."""
        before = Counter(_identity(finding) for finding in self.report.findings)
        files, report, together = dict(self.files), self.report, [first]
        fixed, places = list(together), [place(report, first.span)]
        for _ in range(LONGEST_CHAIN):
            after = self._after(together)
            if not all(parses(file, self.files[path]) for path, file in after.items()):
                break
            self.files.update(after)
            self.report = self.lint({path: file.data for path, file in self.files.items()}, None)
            news = list(uncovered(self.report.findings, before))
            if not news and before <= Counter(map(_identity, self.report.findings)):
                break  # they undo each other
            if not news:
                self.fixed += fixed
                self.places += places
                self.dropped = [each for each in self.dropped if each[0] is not first]
                return True
            together = compatible(causes(news), self.files) if all(map(self._is_wanted, news)) else []
            if not together:
                break
            fixed += together
            places += [place(self.report, finding.span) for finding in together]
        self.files, self.report = files, report
        return False

    def _after(self, findings: Sequence[Finding]) -> dict[str, File]:
        return {path: self.files[path].edited(those) for path, those in placed(findings, self.files).items()}

    def _is_wanted(self, finding: Finding) -> bool:
        fix, edits = finding.fix, edits_of(finding)
        return fix is not None and bool(edits) and fix.applicability in self.wanted and all(
            self._has(edit.span.path) for edit in edits)

    def _has(self, path: str) -> bool:
        """Whether a file is one of those that are linted and still what the findings speak of."""
        source = self.report.sources.get(path)
        if path not in self.report.files or source is None:
            return False
        if path not in self.read:
            try:
                file = read(path)
            except (SyntaxError, ValueError):
                return False
            if not is_as_told(file, source.lines):
                return False
            self.read[path] = self.files[path] = file
        return True
