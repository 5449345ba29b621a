"""From paths to a report: every file read and checked; what that takes is loaded by the first that needs it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cudnnlint.engine import registry
from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.entries import worth_parsing
from cudnnlint.engine.environment import packages_for
from cudnnlint.engine.files import find_files
from cudnnlint.engine.nearest import Nearest
from cudnnlint.engine.project import Display, import_roots, paths_of
from cudnnlint.engine.requirement_files import is_requirements, read_listings, requirements_text
from cudnnlint.engine.settings import Settings
from cudnnlint.engine.suppress import Suppressions
from cudnnlint.facts.libraries import Libraries
from cudnnlint.finding import Finding
from cudnnlint.interp.shared import Shared
from cudnnlint.report.model import Report, RulePage
from cudnnlint.source import Source, SourceError, read_bytes

if TYPE_CHECKING:
    from cudnnlint.values import Stack

STDIN = "-"


LARGEST = 16 << 20
"""Bytes of a program that is parsed."""


def check(paths: Sequence[str | os.PathLike[str]] = (".",), settings: Settings | None = None, *,
          stdin: bytes | None = None, stdin_filename: str | None = None) -> Report:
    """Lint files, directories and, for "-", standard input.

    settings  by default of each file those of the nearest configuration above it
    stdin     the bytes to read for "-" (by default sys.stdin's), shown as `stdin_filename`

    A path that does not exist is a UsageError, a wrong configuration a ConfigError; nothing else is raised.
    """
    asked = [os.fspath(path) for path in paths] or ["."]
    settings = Nearest().of(_directory(asked[0])) if settings is None else settings
    run = _Run(settings)
    return call_deep(lambda: run.check(asked, stdin, stdin_filename or "stdin.py"))


def _directory(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path)


def readable_sources(paths: Sequence[str | os.PathLike[str]], settings: Settings,
                     unreadable: list[SourceError] | None = None) -> Iterator[Source]:
    """The files that can be parsed: those asked for by name, and of directories those that name a framework.

    unreadable  gets why others that are asked for by name cannot
    """
    asked = {os.path.realpath(path) for path in paths}
    for path in find_files(paths, settings):
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
        self._modules = Shared()
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
            if not worth_parsing(path, data):
                return
            if len(data) > LARGEST and not path.endswith(".ipynb"):
                self._notes.append(f"{path}: not followed: {len(data) >> 20} MiB of code are data")
                return
            source = Source.from_bytes(path, data)
        except SourceError as error:
            from cudnnlint.engine.single import check_unreadable

            self._findings += check_unreadable(error, self._settings.at(path))
            return
        from cudnnlint.engine.single import checked
        from cudnnlint.engine.stack import infer_stack

        settings = self._settings.at(path)
        stack = infer_stack(settings, os.path.dirname(path), data)
        self._sources[path], self._stacks[path] = source, stack
        self._findings += checked(source, settings, stack, True, import_roots(path), self._notes, self._modules,
                                  self._libraries)
        source.forget_tree()

    def _requirements(self, path: str, text: str | None = None) -> bool:
        """One file that lists requirements, read here unless its text is given; whether it lists any framework."""
        text = requirements_text(path) if text is None else text
        if not read_listings(path, text):
            return False
        from cudnnlint.engine.single import check_requirements

        self._sources[path] = Source.from_text(path, text)
        self._findings += check_requirements(path, text, self._settings.at(path))
        return True

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
