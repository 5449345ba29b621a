"""The flake8 face: the same rules over flake8's own tree, leaving selection and `# noqa` to flake8."""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cudnnlint import __version__
from cudnnlint.source.roots import import_statements, names_framework

if TYPE_CHECKING:
    import ast

    from cudnnlint.engine.cache import Cache
    from cudnnlint.engine.outcome import Outcome
    from cudnnlint.engine.settings.declared import Settings
    from cudnnlint.finding import Finding
    from cudnnlint.interp.shared import Shared

Row = tuple[int, int, str, type[Any]]
STDIN = ("-", "stdin")
CONFIGURATIONS = (".cudnnlint.toml", "cudnnlint.toml", "pyproject.toml")
"""Files that may hold settings (engine/settings/reading.py: NAMES, which costs an import of 20 ms)."""


class Plugin:
    """flake8 makes one for each file and asks it for (line, column from 0, text, type)."""

    name = "cudnnlint"
    version = __version__
    _cached = True

    def __init__(self, tree: ast.Module, filename: str = "stdin", lines: Sequence[str] = ()) -> None:
        self._tree = tree
        self._filename = filename
        self._lines = lines

    @staticmethod
    def add_options(manager: Any) -> None:
        """flake8's own processes keep nothing: this is for who wants nothing kept by its plugins either."""
        manager.add_option("--cudnnlint-no-cache", action="store_true", default=False, parse_from_config=True,
                           help="look at every file anew, and keep no findings from run to run")

    @classmethod
    def parse_options(cls, options: Any) -> None:
        cls._cached = not options.cudnnlint_no_cache and os.environ.get("CUDNNLINT_NO_CACHE", "") in ("", "0")
        _read_early()

    def run(self) -> Iterator[Row]:
        """Nothing, and at no cost, for a file that names no framework and imports no file that lies near it."""
        text = "".join(self._lines)
        data = text.encode("utf-8", "surrogatepass")
        if not names_framework(data) and not _leads_to_one(self._filename, data):
            return
        settings = settings_for(self._filename)
        cache = _cache(settings.file) if self._cached else None
        if cache is None:
            outcome = self._look(text, settings)
        else:
            outcome = cache.outcome("flake8", self._filename, data, settings, _packages(settings.file),
                                    lambda: self._look(text, settings))
        for finding in outcome.findings:
            line, column = finding.span.line, finding.span.column
            yield line, column, f"{finding.code} {finding.rule}: {finding.message}", type(self)

    def _look(self, text: str, settings: Settings) -> Outcome:
        from cudnnlint.engine.outcome import Outcome
        from cudnnlint.engine.single import check_source, is_lasting
        from cudnnlint.source import Source

        source, notes = Source.from_text(self._filename, text, self._tree), list[str]()
        with _collecting_later():
            found = check_source(source, settings, noqa=False, notes=notes, modules=_modules())
            told = [one for finding in found if (one := self._here(finding)) is not None]
        return Outcome(tuple(told), lasting=is_lasting(found, notes))

    def _here(self, finding: Finding) -> Finding | None:
        """What lies in an imported module is told where that is linted, or else at the call of this file that leads
        there: flake8 shows nothing of other files."""
        path = finding.span.path
        call = next((call for call in reversed(finding.calls) if call.path == self._filename), None)
        if path == self._filename or call is None:
            return finding if path == self._filename else None
        alone = {(one.rule, one.span) for one in _alone(path)}
        if (finding.rule, finding.span) in alone or _silences(path, finding):
            return None
        there = f"in {os.path.relpath(path)}, line {finding.span.line}"
        return replace(finding, span=call, message=f"{finding.message} ({there})", fix=None)


@functools.cache
def _alone(path: str) -> tuple[Finding, ...]:
    """What a module tells when it is linted itself."""
    from cudnnlint.engine.single import check_source
    from cudnnlint.source import Source, SourceError

    try:
        return tuple(check_source(Source.read(path), settings_for(path), noqa=False, modules=_modules()))
    except SourceError:
        return ()


def _silences(path: str, finding: Finding) -> bool:
    """Whether a comment in the module does."""
    from cudnnlint.engine.settings.suppress import Suppressions
    from cudnnlint.source import Source, SourceError

    try:
        comments = Suppressions(Source.read(path))
    except SourceError:
        return True
    return comments.skips_file or comments.silences(finding)


def _leads_to_one(filename: str, data: bytes) -> bool:
    """Whether a file imports what names a framework; asked thoroughly only where a module of that name lies near."""
    if filename in STDIN or not any(_lies_near(filename, *parts) for parts in import_statements(data)):
        return False
    from cudnnlint.engine.entries import worth_parsing

    return worth_parsing(filename, data)


def _lies_near(filename: str, dots: bytes, module: bytes, names: bytes, plain: bytes) -> bool:
    """Whether an import statement could name a module beside the file, above it or in the working directory."""
    here = os.path.dirname(os.path.abspath(filename))
    roots = {part.strip().partition(b".")[0].partition(b" ")[0].decode() for part in (module or plain).split(b",")}
    return bool(dots) or any(not roots.isdisjoint(_near(place)) for place in (here, os.path.dirname(here), os.getcwd()))


@functools.cache
def _near(directory: str) -> frozenset[str]:
    """The names that a directory gives modules."""
    try:
        return frozenset(entry.removesuffix(".py") for entry in os.listdir(directory))
    except OSError:
        return frozenset()


@functools.cache
def _cache(file: Path | None) -> Cache | None:
    """That of the settings which a configuration file has."""
    from cudnnlint.engine.cache import Cache

    settings = _settings(file)
    given = os.environ.get("CUDNNLINT_CACHE_DIR")
    return Cache.of(replace(settings, cache_dir=os.path.abspath(given)) if given else settings)


@functools.cache
def _packages(file: Path | None) -> tuple[str, ...]:
    from cudnnlint.engine.requirements.environment import packages_for

    return packages_for(_settings(file))


MANY = 20_000
"""Objects that an analysis leaves, from which on they are not looked through for garbage: modules that others import,
which stay."""
SELDOM = 50_000
"""Objects that come and stay between two looks for garbage, once a file was analysed: with CPython's 700 the looks took
a tenth of the time of a run over 300 files, and now take next to none, for 6 MiB more."""


@contextlib.contextmanager
def _collecting_later() -> Iterator[None]:
    """Most objects of an analysis live as long as it does: looking for garbage meanwhile costs a seventh of it, and as
    much again afterwards where it has left many."""
    enabled, before = gc.isenabled(), gc.get_count()[0]
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if gc.get_count()[0] - before > MANY:
                gc.freeze()
            gc.enable()


@functools.cache
def _modules() -> Shared:
    """What the files of a process import, analysed once: files do not change while flake8 runs.

    It is kept until the process ends, and not looked through for garbage once more then.
    """
    from cudnnlint.interp.shared import Shared

    first, *others = gc.get_threshold()
    if 0 < first < SELDOM:  # nobody turned it off, or up
        gc.set_threshold(SELDOM, *others)
    atexit.register(gc.freeze)
    return Shared()


def settings_for(filename: str) -> Settings:
    """What the project's configuration says of versions and options; every rule on by default speaks.

    Rules that are off by default speak where `extend-select` turns them on: flake8 can only leave out.
    """
    start = os.getcwd() if filename in STDIN else os.path.dirname(os.path.abspath(filename))
    return _settings(_file(start))


@functools.cache
def _file(directory: str) -> Path | None:
    """The configuration that holds in a directory; one look for each in a process."""
    from cudnnlint.engine.settings.reading import file_in

    parent = os.path.dirname(directory)
    return file_in(Path(directory)) or (None if parent == directory else _file(parent))


def _read_early() -> None:
    """Read the configuration of the directory in which flake8 is started, if there is one, before it starts others.

    Where a file ends one of its processes, flake8 stops those that are at work, and CPython may wait for ever for a
    lock that one of them held (Lib/multiprocessing/pool.py: Pool._terminate_pool): a wrong one is to end it here.
    """
    here = Path.cwd()
    if any(map(_is_configured, (here, *here.parents))):
        settings_for(STDIN[0])


def _is_configured(directory: Path) -> bool:
    """Whether a directory has a file that configures us."""
    for name in CONFIGURATIONS:
        with contextlib.suppress(OSError):
            if b"cudnnlint" in (directory / name).read_bytes() or name != CONFIGURATIONS[-1]:
                return True
    return False


@functools.cache
def _settings(file: Path | None) -> Settings:
    """A wrong configuration ends flake8 with its one line."""
    from cudnnlint.engine.settings.declared import ConfigError, Settings

    try:
        found = Settings() if file is None else Settings.load(file)
    except ConfigError as error:
        # the one that flake8 reports without a traceback
        from flake8.exceptions import ExecutionError  # type: ignore[import-untyped]

        raise ExecutionError(str(error)) from None
    return replace(found, select=None, ignore=(), extend_ignore=(), per_file_ignores={})
