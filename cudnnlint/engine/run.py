"""From paths to a report: every file read, followed, checked and filtered; nothing that fails stops the rest."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cudnnlint.engine import registry, versions
from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.dispatch import Dispatcher
from cudnnlint.engine.environment import packages_for
from cudnnlint.engine.files import find_files
from cudnnlint.engine.installed import at_callers
from cudnnlint.engine.project import Display, import_roots, paths_of
from cudnnlint.engine.requirement_files import is_requirements, read_listings, requirements_text
from cudnnlint.engine.select import ignored_in, selected
from cudnnlint.engine.settings import Settings
from cudnnlint.engine.stack import infer_stack, stack_of
from cudnnlint.engine.suppress import Suppressions
from cudnnlint.events import Event, SourceBroken
from cudnnlint.facts.libraries import Libraries
from cudnnlint.finding import Finding
from cudnnlint.fix.resolve import Resolver
from cudnnlint.report.model import Report, RulePage, ordered
from cudnnlint.source import Source, SourceError, Span, names_framework, read_bytes
from cudnnlint.values import Stack

if TYPE_CHECKING:
    from cudnnlint.interp.modules import Shared

STDIN = "-"


def check(paths: Sequence[str | os.PathLike[str]] = (".",), settings: Settings | None = None, *,
          stdin: bytes | None = None, stdin_filename: str | None = None) -> Report:
    """Lint files, directories and, for "-", standard input.

    settings  by default those of the nearest configuration from the first path upward
    stdin     the bytes to read for "-" (by default sys.stdin's), shown as `stdin_filename`

    A path that does not exist is a UsageError, a wrong configuration a ConfigError; nothing else is raised.
    """
    asked = [os.fspath(path) for path in paths] or ["."]
    settings = Settings.find(asked[0]) if settings is None else settings
    run = _Run(settings)
    return call_deep(lambda: run.check(asked, stdin, stdin_filename or "stdin.py"))


def check_source(source: Source, settings: Settings, stack: Stack | None = None, *, noqa: bool = True,
                 roots: Sequence[str] | None = None, notes: list[str] | None = None,
                 modules: Shared | None = None) -> list[Finding]:
    """The findings of one source, filtered and in order, whether or not it names a framework.

    `noqa=False` leaves `# noqa` comments to the caller (flake8). Findings may lie in modules that it imports.
    Calls that are given the same `modules` analyse what they import once.
    """
    stack = stack or stack_of(source, settings)
    roots = import_roots(source.path) if roots is None else roots
    notes, modules = [] if notes is None else notes, {} if modules is None else modules
    libraries = Libraries(packages_for(settings, notes))
    return call_deep(lambda: _check_source(source, settings, stack, noqa, roots, notes, modules, libraries))


def check_requirements(path: str, text: str, settings: Settings) -> list[Finding]:
    """The findings in a file that lists requirements."""
    from cudnnlint.engine.clashes import clashes

    dispatcher = Dispatcher(selected(settings, registry.listed().values()), settings)
    for listing in read_listings(path, text):
        for clash in clashes(listing, versions.NEWEST):
            dispatcher.emit(clash)
    return list(ordered(_not_ignored(dispatcher.findings, settings)))


def _check_source(source: Source, settings: Settings, stack: Stack, noqa: bool, roots: Sequence[str],
                  notes: list[str], modules: Shared, libraries: Libraries) -> list[Finding]:
    comments = Suppressions(source)
    if comments.skips_file:
        return []
    dispatcher = Dispatcher(selected(settings, registry.listed().values()), settings)
    _follow(source, stack, roots, dispatcher, modules, libraries)
    notes += dispatcher.notes
    found = dispatcher.findings if libraries.holds(source.path) else at_callers(dispatcher.findings, libraries)
    kept = [finding for finding in found
            if finding.span.path != source.path or not comments.silences(finding, noqa=noqa)]
    resolver = Resolver(lambda path: source if path == source.path else _read_own(path, libraries))
    return [resolver.resolved(finding) for finding in ordered(_not_ignored(kept, settings))]


def _read_own(path: str, libraries: Libraries) -> Source | None:
    """A file that a fix may change: none of an installed package."""
    return None if libraries.holds(path) else Source.read(path)


def _follow(source: Source, stack: Stack, roots: Sequence[str], dispatcher: Dispatcher, modules: Shared,
            libraries: Libraries) -> None:
    """Run the interpreter over a source; whatever goes wrong becomes an event. `modules` are shared by a run."""
    from cudnnlint.interp import analyse
    from cudnnlint.interp.limits import for_linting

    registry.load()
    try:
        source.tree()
        for error in source.errors:
            dispatcher.emit(broken(error, source, stack))
        analyse(source, stack=stack, emit=dispatcher.emit, roots=roots, shared=modules, libraries=libraries,
                limits=for_linting(len(source.lines)))
    except SourceError as error:
        dispatcher.emit(broken(error, source, stack))
    except Exception as error:
        start = Event(span=Span(source.path, 1, 0, 1, 0), stack=stack)
        dispatcher.crash("the analysis of this file", error, start)


def broken(error: SourceError, source: Source | None, stack: Stack) -> SourceBroken:
    """The event for a file or cell that is not Python: one code point wide, or none at a line's end."""
    line = source.lines[error.line - 1] if source is not None and error.line <= len(source.lines) else ""
    column = min(error.column, len(line)) if line else error.column
    span = Span(error.path, error.line, column, error.line, min(column + 1, max(len(line), column)))
    return SourceBroken(span=span, stack=stack, message=error.message)


def _not_ignored(findings: Sequence[Finding], settings: Settings) -> Iterator[Finding]:
    """Without those of rules that per-file-ignores leaves out where they lie."""
    if not settings.per_file_ignores:
        yield from findings
        return
    rules = registry.listed().values()
    ignored = {path: ignored_in(settings, path, rules) for path in {finding.span.path for finding in findings}}
    yield from (finding for finding in findings if finding.rule not in ignored[finding.span.path])


def readable_sources(paths: Sequence[str | os.PathLike[str]], settings: Settings) -> Iterator[Source]:
    """The files that can be parsed: those asked for by name, and of directories those that name a framework."""
    asked = {os.path.realpath(path) for path in paths}
    for path in find_files(paths, settings):
        with contextlib.suppress(SourceError):
            data = read_bytes(path)
            if names_framework(data) or os.path.realpath(path) in asked:
                source = Source.from_bytes(path, data)
                source.tree()
                yield source


def _pages(findings: Iterable[Finding]) -> dict[str, RulePage]:
    """Of the rules that found something; where none did, none is loaded for it."""
    rows = (registry.listed()[name] for name in dict.fromkeys(finding.rule for finding in findings))
    return {rule.name: RulePage(rule.code, rule.name, rule.level, rule.page)
            for row in rows if (rule := row.rule()) is not None}


class _Run:
    """What one run gathers."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._display = Display()
        self._findings: list[Finding] = []
        self._sources: dict[str, Source] = {}
        self._comments: dict[str, Suppressions] = {}
        self._stacks: dict[str, Stack] = {}
        self._notes: list[str] = []
        self._modules: Shared = {}
        self._libraries = Libraries(packages_for(settings, self._notes))

    def check(self, paths: Sequence[str], stdin: bytes | None, stdin_filename: str) -> Report:
        requirements: list[str] = []
        files = find_files([path for path in paths if path != STDIN], self._settings, self._notes, requirements)
        for path in (*files, *requirements):
            self._display.add(path)
        for path in files:
            self._file(path, None)
        files += [path for path in requirements if self._requirements(path)]
        if STDIN in paths:
            files.append(stdin_filename)
            self._display.add(stdin_filename)
            data = sys.stdin.buffer.read() if stdin is None else stdin
            if is_requirements(stdin_filename):
                self._requirements(stdin_filename, data.decode("utf-8", "replace"))
            else:
                self._file(stdin_filename, data)
        return self._report(files)

    def _file(self, path: str, data: bytes | None) -> None:
        """One file, read here unless its bytes came from standard input."""
        try:
            data = read_bytes(path) if data is None else data
            if not names_framework(data):
                return
            source = Source.from_bytes(path, data)
        except SourceError as error:
            self._unreadable(error)
            return
        stack = infer_stack(self._settings, os.path.dirname(path), data)
        self._sources[path], self._stacks[path] = source, stack
        self._findings += _check_source(source, self._settings, stack, True, import_roots(path), self._notes,
                                        self._modules, self._libraries)
        source.forget_tree()

    def _requirements(self, path: str, text: str | None = None) -> bool:
        """One file that lists requirements, read here unless its text is given; whether it lists any framework."""
        text = requirements_text(path) if text is None else text
        if not read_listings(path, text):
            return False
        self._sources[path] = Source.from_text(path, text)
        self._findings += check_requirements(path, text, self._settings)
        return True

    def _unreadable(self, error: SourceError) -> None:
        """A file that is no text at all: nothing in it could have silenced the finding."""
        dispatcher = Dispatcher(selected(self._settings, registry.listed().values()), self._settings)
        dispatcher.emit(broken(error, None, versions.NEWEST))
        self._findings += _not_ignored(dispatcher.findings, self._settings)

    def _report(self, files: Sequence[str]) -> Report:
        findings = [self._display.finding(finding) for finding in self._findings]
        kept = [finding for finding in findings if not self._silenced_elsewhere(finding)]
        return Report.of(kept, self._sources, files, [*registry.problems(), *self._notes], self._stacks, _pages(kept))

    def _silenced_elsewhere(self, finding: Finding) -> bool:
        """Whether comments in an imported file silence what was found in it; reads every file pointed into."""
        for path in paths_of(finding) - self._sources.keys():
            with contextlib.suppress(SourceError):
                self._sources[path] = Source.read(path)
        path = finding.span.path
        if path not in self._sources:
            return False
        if path not in self._comments:
            self._comments[path] = Suppressions(self._sources[path])
        return self._comments[path].skips_file or self._comments[path].silences(finding)
