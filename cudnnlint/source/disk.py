"""The one place where an analysis asks the file system; each question and its answer go to `source.asked`.

Whoever looks at a file or a directory on behalf of a linted file asks here (tests/test_meta.py sees to it), so that
findings that are kept can be told from those that something has changed for. An answer is plain data.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from cudnnlint.source.asked import is_recorded, note, remembered

Place = str | Path
FRESH = 2_000_000_000
"""Nanoseconds: file systems tell times as coarsely as that (FAT), so that a file that was changed no longer ago may
change again and keep its time. Its content is compared then."""
LIBRARIES = frozenset({"yaml"})
BESIDE = "__pycache__"
"""A directory that tools make beside the code; like hidden ones, nobody asks for it."""


def read(path: Place, most: int = -1) -> bytes:
    """The bytes of a file, the first `most` of them if it has more; OSError or ValueError if it cannot be read."""
    if not is_recorded():
        with open(path, "rb") as file:
            return _up_to(most, file, os.fstat(file.fileno()).st_size)
    try:
        with open(path, "rb") as file:
            about = os.fstat(file.fileno())
            data = _up_to(most, file, about.st_size)
    except (OSError, ValueError):
        note(("read", os.fspath(path)), None)
        raise
    whole = len(data) == about.st_size
    note(("read", os.fspath(path)), [about.st_size, _time(about), digest(data) if whole else ""])
    return data


def _up_to(most: int, file: BinaryIO, size: int) -> bytes:
    """At most so many bytes of a file that has `size`: room for `most` would be mapped and given back each time."""
    if not 0 <= size < most:
        return file.read(most)
    data = file.read(size + 1)
    return data + file.read(most - len(data)) if len(data) > size else data  # a pipe, or a file that grew


def size(path: Place) -> int:
    """Bytes of a file; OSError if there is none."""
    try:
        found = os.stat(path).st_size
    except (OSError, ValueError):
        note(("size", os.fspath(path)), None)
        raise
    note(("size", os.fspath(path)), found)
    return found


def is_file(path: Place) -> bool:
    return kind(path) == "file"


def is_directory(path: Place) -> bool:
    return kind(path) == "directory"


def exists(path: Place) -> bool:
    return kind(path) != ""


def kind(path: Place) -> str:
    """"file", "directory", "other", or "" where there is nothing; links are followed."""
    found = _kind(os.fspath(path))
    note(("kind", os.fspath(path)), found)
    return found


def real_path(path: Place) -> str:
    """`os.path.realpath`, which follows links."""
    directory, name = os.path.split(path)
    followed = not name or name in (os.curdir, os.pardir) or os.path.islink(path)
    found = os.path.realpath(path) if followed else os.path.join(_real_directory(os.fspath(directory)), name)
    note(("real", os.fspath(path)), found)
    return found


@remembered
def _real_directory(path: str) -> str:
    """Of the many files of a directory, each would ask for every directory above it."""
    return os.path.realpath(path)


def listed(directory: Place, endings: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """(directories, files whose name ends so) in a directory, sorted; without hidden directories, and BESIDE."""
    found = _listed(os.fspath(directory), endings)
    if is_recorded():
        note(("listed", os.fspath(directory), *endings), _names(found))
    return found


def walk(top: str, endings: tuple[str, ...], into: Callable[[str], bool]) -> Iterator[str]:
    """Files below a directory whose name ends so: each directory's by name, then those of the directories in it that
    `into` takes.
    """
    directories, files = listed(top, endings)
    yield from (os.path.join(top, name) for name in files)
    for name in filter(into, directories):
        yield from walk(os.path.join(top, name), endings, into)


def library(name: str) -> ModuleType:
    """A module of ours that may not be installed; ImportError if it is not."""
    note(("library", name), _library(name))
    return importlib.import_module(name)


def still(question: tuple[str, ...], told: Any) -> bool:
    """Whether a question has the answer that it had."""
    asked, *arguments = question
    if asked == "read":
        return _is_as_read(arguments[0], told)
    if asked == "listed":
        return bool(_names(_listed(arguments[0], tuple(arguments[1:]))) == told)
    return bool(_ANSWERS[asked](arguments[0]) == told)


def stamp(path: Place) -> tuple[int, int] | None:
    """Time and size of a file, not recorded: whether it must be read anew, which is."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    return about.st_mtime_ns, about.st_size


def settled(path: Place) -> tuple[int, int] | None:
    """The same of a file that another change would give another time; None for one that was changed right now."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    return (about.st_size, time_) if (time_ := _time(about)) else None


def digest(data: bytes) -> str:
    from hashlib import blake2b

    return blake2b(data, digest_size=16).hexdigest()


def _is_as_read(path: str, told: Any) -> bool:
    """By size and time; where only the time is another one, by the content (a checkout touches files)."""
    try:
        about = os.stat(path)
        if told is None or about.st_size != told[0]:
            return told is None and not os.access(path, os.R_OK)
        if told[1] and about.st_mtime_ns == told[1]:
            return True
        if not told[2] or not stat.S_ISREG(about.st_mode):
            return False
        with open(path, "rb") as file:
            return bool(digest(file.read()) == told[2])
    except (OSError, ValueError):
        return told is None


def _time(about: os.stat_result) -> int:
    """When a file was changed, in nanoseconds; 0 if that tells too little."""
    return about.st_mtime_ns if time.time_ns() - about.st_mtime_ns > FRESH else 0


def _kind(path: str) -> str:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return ""
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other"


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return None


def _listed(directory: str, endings: tuple[str, ...]) -> tuple[list[str], list[str]]:
    directories, files = [], []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name[0] != "." and entry.name != BESIDE:
                        directories.append(entry.name)
                elif entry.name.endswith(endings):
                    files.append(entry.name)
    except (OSError, ValueError):
        return [], []
    return sorted(directories), sorted(files)


def _names(found: tuple[list[str], list[str]]) -> str:
    """Short, since directories may be large; a name cannot hold a slash."""
    return digest("/".join((*found[0], "", *found[1])).encode("utf-8", "surrogateescape"))


def _library(name: str) -> list[Any] | None:
    if name not in LIBRARIES:
        raise ValueError(f"nothing of ours asks for {name}")
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        return None
    return [found.origin, os.stat(found.origin).st_mtime_ns]


_ANSWERS: dict[str, Callable[[str], Any]] = {"kind": _kind, "size": _size, "real": os.path.realpath,
                                             "library": _library}
