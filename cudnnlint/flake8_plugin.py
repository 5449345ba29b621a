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
from cudnnlint.source.roots import names_framework

if TYPE_CHECKING:
    import ast

    from cudnnlint.engine.settings import Settings
    from cudnnlint.interp.shared import Shared

Row = tuple[int, int, str, type[Any]]
STDIN = ("-", "stdin")


class Plugin:
    """flake8 makes one for each file and asks it for (line, column from 0, text, type)."""

    name = "cudnnlint"
    version = __version__

    def __init__(self, tree: ast.Module, filename: str = "stdin", lines: Sequence[str] = ()) -> None:
        self._tree = tree
        self._filename = filename
        self._lines = lines

    def run(self) -> Iterator[Row]:
        """Nothing, and at no cost, for a file that names no framework."""
        text = "".join(self._lines)
        if not names_framework(text.encode("utf-8", "surrogatepass")):
            return
        from cudnnlint.engine.single import check_source
        from cudnnlint.source import Source

        source = Source.from_text(self._filename, text, self._tree)
        settings = settings_for(self._filename)
        with _collecting_later():
            findings = check_source(source, settings, noqa=False, modules=_modules())
        for finding in findings:
            line, column = finding.span.line, finding.span.column
            if finding.span.path == source.path:  # what lies in an imported module is told where that is linted
                yield line, column, f"{finding.code} {finding.rule}: {finding.message}", type(self)


@contextlib.contextmanager
def _collecting_later() -> Iterator[None]:
    """Most objects of an analysis live as long as it does: looking for garbage meanwhile costs a seventh of it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@functools.cache
def _modules() -> Shared:
    """What the files of a process import, analysed once: files do not change while flake8 runs.

    It is kept until the process ends, and not looked through for garbage once more then.
    """
    from cudnnlint.interp.shared import Shared

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
    from cudnnlint.engine.config import file_in

    parent = os.path.dirname(directory)
    return file_in(Path(directory)) or (None if parent == directory else _file(parent))


@functools.cache
def _settings(file: Path | None) -> Settings:
    """A wrong configuration ends flake8 with its one line."""
    from cudnnlint.engine.settings import ConfigError, Settings

    try:
        found = Settings() if file is None else Settings.load(file)
    except ConfigError as error:
        # the one that flake8 reports without a traceback
        from flake8.exceptions import ExecutionError  # type: ignore[import-untyped]

        raise ExecutionError(str(error)) from None
    return replace(found, select=None, ignore=(), extend_ignore=(), per_file_ignores={})
