"""The findings of one file: its events dispatched to the rules, filtered by comments and settings, with their fixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cudnnlint.engine import registry
from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.dispatch import Dispatcher
from cudnnlint.engine.project import import_roots
from cudnnlint.engine.requirements.environment import packages_for
from cudnnlint.engine.requirements.files import read_listings
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.select import ignored_in, selected
from cudnnlint.engine.settings.suppress import Suppressions
from cudnnlint.engine.stack import versions
from cudnnlint.engine.stack.deciding import stack_of
from cudnnlint.engine.stack.handed_on import fits
from cudnnlint.events import Event, SourceBroken
from cudnnlint.facts.libraries import Libraries
from cudnnlint.finding import Finding
from cudnnlint.interp.shared import Shared
from cudnnlint.report.model import ordered
from cudnnlint.source import Source, SourceError, Span
from cudnnlint.values import Stack

TOO_DEEP = "nesting too deep"
"""What the interpreter says where the stack of a thread ends, which may be another one in another run."""


def check_source(source: Source, settings: Settings, stack: Stack | None = None, *, noqa: bool = True,
                 roots: Sequence[str] | None = None, notes: list[str] | None = None,
                 modules: Shared | None = None) -> list[Finding]:
    """The findings of one source, filtered and in order, whether or not it names a framework.

    `noqa=False` leaves `# noqa` comments to the caller (flake8). Findings may lie in modules that it imports.
    Calls that are given the same `modules` analyse what they import once.
    """
    stack = stack or stack_of(source, settings)
    roots = import_roots(source.path) if roots is None else roots
    notes, modules = [] if notes is None else notes, modules or Shared()
    libraries = Libraries(packages_for(settings, notes))
    return call_deep(lambda: checked(source, settings, stack, noqa, roots, notes, modules, libraries))


def check_requirements(path: str, text: str, settings: Settings) -> list[Finding]:
    """The findings in a file that lists requirements."""
    from cudnnlint.engine.requirements.clashes import clashes

    dispatcher = Dispatcher(selected(settings, registry.listed().values()), settings)
    for listing in read_listings(path, text):
        for clash in clashes(listing, versions.NEWEST):
            dispatcher.emit(clash)
    return list(ordered(_not_ignored(dispatcher.findings, settings)))


def checked(source: Source, settings: Settings, stack: Stack, noqa: bool, roots: Sequence[str], notes: list[str],
            modules: Shared, libraries: Libraries) -> list[Finding]:
    """The same on this thread, given all of that."""
    comments = Suppressions(source)
    if comments.skips_file:
        return []
    dispatcher = Dispatcher(selected(settings, registry.listed().values()), settings)
    _follow(source, stack, roots, dispatcher, modules, libraries)
    notes += dispatcher.notes
    return _told(dispatcher.findings, source, settings, stack, comments, noqa, libraries) if dispatcher.findings else []


def _told(found: Iterable[Finding], source: Source, settings: Settings, stack: Stack, comments: Suppressions,
          noqa: bool, libraries: Libraries) -> list[Finding]:
    """Findings where the user can act, without those that are silenced, with the edits of their fixes."""
    from cudnnlint.engine.installed import at_callers
    from cudnnlint.fix.resolve import Resolver

    if not libraries.holds(source.path):
        found = at_callers(found, libraries, stack)
    kept = [finding for finding in found
            if (not comments.silences(finding, noqa=noqa) if finding.span.path == source.path
                else fits(finding.span.path, stack))]
    resolver = Resolver(lambda path: source if path == source.path else _read_own(path, libraries))
    return [resolver.resolved(finding) for finding in ordered(_not_ignored(kept, settings))]


def is_lasting(found: Iterable[Finding], notes: Iterable[str]) -> bool:
    """Whether another run would find the same: nothing of ours failed, and no thread's stack came to its end."""
    return (not registry.problems() and not any(note.endswith(TOO_DEEP) for note in notes)
            and not any(finding.rule == "internal-error" for finding in found))


def check_unreadable(error: SourceError, settings: Settings) -> list[Finding]:
    """The finding in a file, or a directory, that is no text at all: nothing in it could have silenced it."""
    dispatcher = Dispatcher(selected(settings, registry.listed().values()), settings)
    dispatcher.emit(_broken(error, None, versions.NEWEST))
    return [*_not_ignored(dispatcher.findings, settings)]


def _read_own(path: str, libraries: Libraries) -> Source | None:
    """A file that a fix may change: none of an installed package."""
    return None if libraries.holds(path) else Source.read(path)


def _follow(source: Source, stack: Stack, roots: Sequence[str], dispatcher: Dispatcher, modules: Shared,
            libraries: Libraries) -> None:
    """Run the interpreter over a source; whatever goes wrong becomes an event. `modules` are shared by a run."""
    from cudnnlint.interp import analyse
    from cudnnlint.interp.limits import for_linting

    registry.load()
    modules.lend_tree(source)
    try:
        source.tree()
        for error in source.errors:
            dispatcher.emit(_broken(error, source, stack))
        analyse(source, stack=stack, emit=dispatcher.emit, roots=roots, shared=modules, libraries=libraries,
                limits=for_linting(len(source.lines)))
    except SourceError as error:
        dispatcher.emit(_broken(error, source, stack))
    except Exception as error:
        start = Event(span=Span(source.path, 1, 0, 1, 0), stack=stack)
        dispatcher.crash("the analysis of this file", error, start)


def _broken(error: SourceError, source: Source | None, stack: Stack) -> SourceBroken:
    """The event for a file or cell that is not Python: one code point wide, or none at a line's end."""
    line = source.lines[error.line - 1] if source is not None and error.line <= len(source.lines) else ""
    column = min(error.column, len(line)) if line else error.column
    span = Span(error.path, error.line, column, error.line, min(column + 1, max(len(line), column)))
    return SourceBroken(span=span, stack=stack, message=error.message, unread=error.unread)


def _not_ignored(findings: Sequence[Finding], settings: Settings) -> Iterator[Finding]:
    """Without those of rules that per-file-ignores leaves out where they lie."""
    if not settings.per_file_ignores:
        yield from findings
        return
    rules = registry.listed().values()
    ignored = {path: ignored_in(settings, path, rules) for path in {finding.span.path for finding in findings}}
    yield from (finding for finding in findings if finding.rule not in ignored[finding.span.path])
