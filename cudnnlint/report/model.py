"""What one run has to say: the findings in reading order, and the sources that they point into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from cudnnlint.finding import Finding, Level
from cudnnlint.records import record
from cudnnlint.source import Source, Span

if TYPE_CHECKING:
    from cudnnlint.values import Stack


class RulePage(NamedTuple):
    """What formats that explain rules need of one: `page` is Markdown, its first line the summary."""

    code: str
    name: str
    level: Level
    page: str

    @property
    def summary(self) -> str:
        return self.page.strip().partition("\n")[0]


@record(frozen=True, slots=True)
class Report:
    """The result of a run.

    findings  sorted by path, line, column, code; a rule speaks once about a span
    sources   by display path: every file that was followed or that a finding points into
    files     display paths of all files looked at, those that name no framework included
    notes     what the user should know besides: parts given up
    stacks    display path -> the versions that its findings are about
    rules     name -> page, of the rules that found something
    unloaded  one line for each module of ours that does not load, of those that were needed
    """

    findings: tuple[Finding, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stacks: Mapping[str, Stack] = field(default_factory=dict)
    rules: Mapping[str, RulePage] = field(default_factory=dict)
    unloaded: tuple[str, ...] = ()

    @classmethod
    def of(cls, findings: Iterable[Finding], sources: Mapping[str, Source] | None = None,
           files: Iterable[str] = (), notes: Iterable[str] = (), stacks: Mapping[str, Stack] | None = None,
           rules: Mapping[str, RulePage] | None = None, unloaded: Iterable[str] = ()) -> Report:
        """A report of findings in any order, repeated ones and repeated notes left out."""
        return cls(ordered(findings), sources or {}, tuple(files), tuple(dict.fromkeys(notes)), stacks or {},
                   rules or {}, tuple(unloaded))

    def stack_of(self, finding: Finding) -> Stack | None:
        """The versions that it is about: those of the file that led there, if another module is where it shows."""
        return self.stacks.get(finding.calls[0].path if finding.calls else finding.span.path)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sorted for reading, one a rule and span: the one that rests on the fewest assumptions, the first among equals."""
    chosen: dict[tuple[str, Span], Finding] = {}
    for finding in findings:
        other = chosen.setdefault((finding.rule, finding.span), finding)
        if len(finding.assumptions) < len(other.assumptions):
            chosen[finding.rule, finding.span] = finding
    return tuple(sorted(chosen.values(), key=_reading_order))


def _reading_order(finding: Finding) -> tuple[str, int, int, str, str]:
    span = finding.span
    return span.path, span.line, span.column, finding.code, finding.message
