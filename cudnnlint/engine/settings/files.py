"""Paths to files: directories are walked, leaving out what .gitignore and the configuration exclude."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from cudnnlint.engine.errors import UsageError
from cudnnlint.engine.requirements.files import is_requirements
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.gitignore import Ignored
from cudnnlint.engine.settings.patterns import Patterns
from cudnnlint.engine.settings.reading import NAMES
from cudnnlint.source import SourceError
from cudnnlint.source.unsaved import unsaved

__all__ = ["UsageError", "find_files"]

SUFFIXES = (".py", ".ipynb")


def find_files(paths: Sequence[str | os.PathLike[str]], settings: Settings,
               unread: list[SourceError] | None = None, requirements: list[str] | None = None) -> list[str]:
    """The files to lint, each once, in a stable order: that of the arguments, and by name within a directory.

    Those that list requirements are not among them; they are added to `requirements`.

    A file that is named is taken whatever its suffix, unless `force_exclude` and an exclude pattern means it.
    Directories are not entered through symbolic links. A path that does not exist is a UsageError;
    directories that cannot be read are told in `unread`.
    """
    found: dict[str, str] = {}
    directories: dict[str, str] = {}
    for path in [os.fspath(path) for path in paths]:
        here = settings.at(os.path.join(path, "") if os.path.isdir(path) else path)
        if here.force_exclude and _excluded(here).covers(path):
            continue
        if os.path.isdir(path):
            for real, file in _walk(path, here, [] if unread is None else unread):
                found.setdefault(real, file)
        elif unsaved(path) is not None or os.path.isfile(path):
            found.setdefault(_real(path, directories), os.path.normpath(path))
        elif os.path.exists(path):  # a pipe that nobody writes to would be waited for
            raise UsageError(f"{path}: not a regular file; - reads standard input")
        else:
            raise UsageError(f"{path}: {reason_missing(path)}")
    listing = [path for path in found.values() if is_requirements(path)]
    if requirements is not None:
        requirements += listing
    return [path for path in found.values() if path not in listing]


def reason_missing(path: str) -> str:
    """Why nothing is found at a path: a directory on the way may be locked, or a link lead to itself."""
    try:
        os.stat(path)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    except ValueError:
        pass
    return "no such file or directory"


def _real(path: str, directories: dict[str, str]) -> str:
    """The real path of a file; each directory is asked for once, for many files may be named in it."""
    directory, name = os.path.split(path)
    if name in ("", os.curdir, os.pardir) or os.path.islink(path):
        return os.path.realpath(path)
    if directory not in directories:
        directories[directory] = os.path.realpath(directory)
    return os.path.join(directories[directory], name)


def _excluded(settings: Settings) -> Patterns:
    return Patterns([*settings.exclude, *settings.extend_exclude], settings.root)


def _walk(top: str, settings: Settings, unread: list[SourceError]) -> Iterator[tuple[str, str]]:
    """(real path, path) of the files, depth first, files before directories, both by name.

    A configuration on the way says what is excluded below it.
    """
    top = os.path.normpath(top)
    above = Ignored.above(top) if settings.respect_gitignore else None
    stack = [(os.path.realpath(top), top, above, _excluded(settings))]
    while stack:
        real, directory, ignored, excluded = stack.pop()
        entries = _listed(directory, unread)
        if directory != top and any(entry.name in NAMES for entry in entries):
            excluded = _excluded(settings.at(os.path.join(directory, "")))
        if ignored is not None and any(entry.name == ".gitignore" for entry in entries):
            ignored = ignored.entering(directory)
        inner = []
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if not is_directory and not (_is_read(directory, entry.name) and _is_file(entry)):
                continue
            path = entry.name if directory == "." else os.path.join(directory, entry.name)
            if excluded.match(path) or (ignored is not None and ignored.covers(path, is_directory)):
                continue
            if is_directory:
                inner.append((os.path.join(real, entry.name), path, ignored, excluded))
            else:
                yield os.path.realpath(path) if entry.is_symlink() else os.path.join(real, entry.name), path
        stack += reversed(inner)


def _is_read(directory: str, name: str) -> bool:
    return name.endswith(SUFFIXES) or is_requirements(os.path.join(directory, name))


def _is_file(entry: os.DirEntry[str]) -> bool:
    """A regular file, by a link or not; none is a link that leads to itself."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _listed(directory: str, unread: list[SourceError]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        unread.append(SourceError(directory, 1, 0, f"the directory cannot be read: {reason}", unread=True))
        return []
