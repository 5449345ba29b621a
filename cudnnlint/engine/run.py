"""From paths to a report: every file read and checked; what that takes is loaded by the first that needs it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cudnnlint.engine import overruled, registry
from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.entries import worth_parsing
from cudnnlint.engine.project import Display, import_roots, paths_of, project_root
from cudnnlint.engine.requirements.environment import packages_for
from cudnnlint.engine.requirements.files import is_requirements, read_listings, requirements_text
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.files import find_files
from cudnnlint.engine.settings.nearest import Nearest
from cudnnlint.engine.settings.suppress import Suppressions
from cudnnlint.facts.libraries import Libraries
from cudnnlint.facts.project import is_within
from cudnnlint.finding import Finding
from cudnnlint.interp.shared import Shared
from cudnnlint.report.model import Report, RulePage
from cudnnlint.source import Source, SourceError, names_framework, read_bytes
from cudnnlint.source.asked import forget
from cudnnlint.source.unsaved import holds_any

if TYPE_CHECKING:
    from cudnnlint.engine.cache import Cache
    from cudnnlint.engine.outcome import Outcome
    from cudnnlint.values import Stack

STDIN = "-"


LARGEST = 16 << 20
"""Bytes of a program that is parsed."""


def check(paths: Sequence[str | os.PathLike[str]] = (".",), settings: Settings | None = None, *,
          cached: bool = False, stdin: bytes | None = None, stdin_filename: str | None = None) -> Report:
    """Lint files, directories and, for "-", standard input.

    settings  by default of each file those of the nearest configuration above it
    cached    whether findings are kept, and those of files for which nothing changed given again
    stdin     the bytes to read for "-" (by default sys.stdin's), shown as `stdin_filename`

    A path that does not exist is a UsageError, a wrong configuration a ConfigError; nothing else is raised.
    """
    asked = [os.fspath(path) for path in paths] or ["."]
    settings = Nearest().of(_directory(asked[0])) if settings is None else settings
    trial = holds_any()
    if not trial:
        forget()
    run = _Run(settings, cached=cached and not trial)
    return call_deep(lambda: run.check(asked, stdin, stdin_filename or "stdin.py"))


def _directory(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path)


def readable_sources(paths: Sequence[str | os.PathLike[str]], settings: Settings,
                     unreadable: list[SourceError] | None = None) -> Iterator[Source]:
    """The files that can be parsed: those asked for by name, and of directories those that name a framework.

    unreadable  gets why others that are asked for by name cannot
    """
    asked, unread = {os.path.realpath(path) for path in paths}, list[SourceError]()
    files = find_files(paths, settings, unread)
    if unreadable is not None:
        unreadable += [error for error in unread if os.path.realpath(error.path) in asked]
    for path in files:
        named = os.path.realpath(path) in asked
        try:
            data = read_bytes(path)
            if not (named or worth_parsing(path, data)):
                continue
            source = Source.from_bytes(path, data)
            source.tree()
        except SourceError as error:
            if named and unreadable is not None:
                unreadable.append(error)
            continue
        yield source


def _pages(findings: Iterable[Finding]) -> dict[str, RulePage]:
    """Of the rules that found something; where none did, none is loaded for it."""
    rows = (registry.listed()[name] for name in dict.fromkeys(finding.rule for finding in findings))
    return {rule.name: RulePage(rule.code, rule.name, rule.level, rule.page)
            for row in rows if (rule := row.rule()) is not None}


def _look_at_requirements(path: str, text: str, settings: Settings) -> Outcome:
    from cudnnlint.engine.outcome import Outcome
    from cudnnlint.engine.single import check_requirements

    if not read_listings(path, text):
        return Outcome(counts=False)
    return Outcome(tuple(check_requirements(path, text, settings)))


class _Run:
    """What one run gathers."""

    def __init__(self, settings: Settings, *, cached: bool) -> None:
        self._settings = settings
        self._cached = cached
        self._cache: Cache | None = None
        self._display = Display()
        self._findings: list[Finding] = []
        self._sources: dict[str, Source] = {}
        self._comments: dict[str, Suppressions] = {}
        self._stacks: dict[str, Stack] = {}
        self._notes: list[str] = []
        self._modules = Shared()
        self._given: dict[tuple[str, int], list[frozenset[str]]] = {}
        self._project = ""
        self._libraries = Libraries(packages_for(settings, self._notes))

    def check(self, paths: Sequence[str], stdin: bytes | None, stdin_filename: str) -> Report:
        requirements, unread = list[str](), list[SourceError]()
        files = find_files([path for path in paths if path != STDIN], self._settings, unread, requirements)
        for path in (*files, *requirements, *(error.path for error in unread)):
            self._display.add(path)
        for error in unread:
            self._unread(error)
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
            if not worth_parsing(path, data):
                return
            if len(data) > LARGEST and not path.endswith(".ipynb"):
                self._notes.append(f"{path}: not followed: {len(data) >> 20} MiB of code are data")
                return
        except SourceError as error:
            self._unread(error)
            return
        settings = self._settings.at(path)
        outcome = self._outcome("check", path, data, settings, lambda: self._look(path, data, settings))
        self._findings += outcome.findings
        self._notes += outcome.notes
        for place, line, names in outcome.given:
            self._given.setdefault((place, line), []).append(frozenset(names))
        if outcome.stack is not None:
            self._stacks[path] = outcome.stack
        if outcome.findings and path not in self._sources:
            with contextlib.suppress(SourceError):
                self._sources[path] = Source.from_bytes(path, data)

    def _unread(self, error: SourceError) -> None:
        from cudnnlint.engine.single import check_unreadable

        self._findings += check_unreadable(error, self._settings.at(error.path))

    def _look(self, path: str, data: bytes, settings: Settings) -> Outcome:
        """A program, analysed."""
        from cudnnlint.engine.outcome import Outcome
        from cudnnlint.engine.single import check_unreadable, checked, is_lasting
        from cudnnlint.engine.stack.deciding import infer_stack

        try:
            source = self._sources[path] = Source.from_bytes(path, data)
        except SourceError as error:
            return Outcome(tuple(check_unreadable(error, settings)))
        self._enter(project_root(path))
        stack, notes = infer_stack(settings, os.path.dirname(path), data), list[str]()
        self._modules.given.clear()
        found = checked(source, settings, stack, True, import_roots(path), notes, self._modules, self._libraries)
        given = tuple((place, line, tuple(sorted(names))) for (place, line), names in self._modules.given.items())
        source.forget_tree()
        if not found:  # nothing of it is shown
            del self._sources[path]
        return Outcome(tuple(found), tuple(notes), stack, lasting=is_lasting(found, notes) and self._libraries.left > 0,
                       given=given)

    def _enter(self, project: str) -> None:
        """The files to come are of this project: what those of another one imported is not asked for again."""
        if self._project and is_within(project, self._project):
            return
        if not is_within(self._project, project):
            self._modules.leave(self._project)
        self._project = project

    def _requirements(self, path: str, text: str | None = None) -> bool:
        """One file that lists requirements, read here unless its text is given; whether it lists any framework."""
        text = requirements_text(path) if text is None else text
        data, settings = text.encode("utf-8", "replace"), self._settings.at(path)
        if not names_framework(data.lower()):
            return False
        outcome = self._outcome("requirements", path, data, settings,
                                lambda: _look_at_requirements(path, text, settings))
        if outcome.counts:
            self._sources[path] = Source.from_text(path, text)
            self._findings += outcome.findings
        return outcome.counts

    def _outcome(self, face: str, path: str, data: bytes, settings: Settings, look: Callable[[], Outcome]) -> Outcome:
        """What `look` tells of a file, or told before."""
        if self._cached and self._cache is None:
            from cudnnlint.engine.cache import Cache

            self._cache = Cache.of(self._settings)
        if self._cache is None:
            return look()
        return self._cache.outcome(face, path, data, settings, self._libraries.directories, look)

    def _report(self, files: Sequence[str]) -> Report:
        findings = [self._display.finding(finding) for finding in self._findings]
        kept = [finding for finding in overruled.told(findings, self._given, self._display.name)
                if not self._silenced_elsewhere(finding)]
        notes = [*self._notes, *(() if self._cache is None else self._cache.notes)]
        return Report.of(kept, self._sources, files, notes, self._stacks, _pages(kept), registry.problems())

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
