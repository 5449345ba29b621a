"""Where the modules of a project are: names to files, found lazily and never outside the project's roots."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from cudnnlint.source import disk
from cudnnlint.source.asked import remembered

LARGEST = 2_000_000
"""Bytes of a module that is still read."""


def package_root(path: str) -> tuple[str, str]:
    """(directory that `import` starts from, dotted name) of a file: packages are climbed while __init__.py is there."""
    own, file = os.path.split(os.path.abspath(path))
    root, package = _package_of(own)
    if file == "__init__.py":
        return root, package or "__main__"
    name = os.path.splitext(file)[0]
    return root, f"{package}.{name}" if package else name


@remembered
def _package_of(own: str) -> tuple[str, str]:
    """(directory that `import` starts from, dotted name) of the package whose files lie in `own`, "" if it is none."""
    directory, parts = own, list[str]()
    while disk.exists(os.path.join(directory, "__init__.py")):
        directory, name = os.path.split(directory)
        if not name:
            break
        parts.append(name)
    return directory, ".".join(reversed(parts))


def search_roots(path: str, roots: Sequence[str] = ()) -> tuple[str, ...]:
    """Import roots for a file, nearest first: its own directory, its package's root, `roots`, and their `src`."""
    return _roots_of(os.path.dirname(os.path.abspath(path)), tuple(roots))


@remembered
def _roots_of(own: str, roots: tuple[str, ...]) -> tuple[str, ...]:
    base = _package_of(own)[0]
    found: list[str] = []
    for root in (own, base, *roots):
        for candidate in (root, os.path.join(root, "src")):
            if candidate not in found and disk.is_directory(candidate):
                found.append(candidate)
    return tuple(found)


def boundaries(path: str, roots: Sequence[str] = ()) -> tuple[str, ...]:
    """Real directories that the project of a file is taken to end at: `roots`, and the working directory above it."""
    own = os.path.dirname(os.path.abspath(path))
    here = os.getcwd()
    bounds = os.path.dirname(here) != here and here != os.path.expanduser("~") and is_within(own, here)
    return _bounds_of(own, (*roots, here) if bounds else tuple(roots))


@remembered
def _bounds_of(own: str, roots: tuple[str, ...]) -> tuple[str, ...]:
    found = [own, _package_of(own)[0], *roots]
    return tuple(dict.fromkeys(map(disk.real_path, found)))


def is_inside(path: str, directories: Sequence[str]) -> bool:
    """Whether a file or directory, its links followed, lies in one of some real directories."""
    real = disk.real_path(path)
    return any(is_within(real, directory) for directory in directories)


def is_within(path: str, directory: str) -> bool:
    """Whether a path is a directory or lies in it, by their names.

    >>> is_within("/a/b", "/a"), is_within("/ab", "/a"), is_within("/a", "/a")
    (True, False, True)
    """
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


@remembered
def find_in(root: str, dotted: str) -> tuple[str, bool] | None:
    """(file, is it a package) of a module under `root`; a directory without __init__.py is a package with no file."""
    base = os.path.join(root, *dotted.split("."))
    init = os.path.join(base, "__init__.py")
    if disk.is_file(init):
        return init, True
    if disk.is_file(base + ".py"):
        return base + ".py", False
    if disk.is_directory(base):
        return "", True
    parent, _, name = dotted.rpartition(".")
    package = os.path.join(root, *parent.split("."))
    further = _added_to_path(os.path.join(package, "__init__.py")) if parent else ""
    return find_in(os.path.join(package, further), name) if further and further != name else None


_APPENDED = rb"(?m)^__path__\.append\(os\.path\.join\(os\.path\.dirname\(__file__\), [\"'](\w+)[\"']\)\)"
"""Packages of the Keras team have their public modules in a folder of their own (keras/__init__.py)."""


@remembered
def _added_to_path(init: str) -> str:
    """A folder below a package in which its modules are looked for too."""
    try:
        data = disk.read(init, 1 << 16) if disk.is_file(init) else b""
    except OSError:
        return ""
    found = re.search(_APPENDED, data) if b"__path__" in data else None
    return found[1].decode() if found else ""


def find_module(roots: Sequence[str], dotted: str) -> tuple[str, bool] | None:
    """The first match over the roots; a namespace package only if no root has a real module."""
    namespace: tuple[str, bool] | None = None
    for root in roots:
        found = find_in(root, dotted)
        if found is not None and found[0]:
            return found
        namespace = namespace or found
    return namespace
