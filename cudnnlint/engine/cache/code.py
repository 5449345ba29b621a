"""What cudnnlint itself is: another version, or an edited checkout, may tell something else of the same file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache

from cudnnlint import __version__
from cudnnlint.source.disk import digest

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@cache
def identity() -> str:
    """Of the code and of the Python that runs it."""
    return f"{__version__} {_installed() or _checkout()} {sys.version} {sys.platform}"


def _installed() -> str:
    """By RECORD, which has the hashes of all files, of an installed wheel; "" for a checkout, editable or not."""
    record = os.path.join(os.path.dirname(PACKAGE), f"cudnnlint-{__version__}.dist-info", "RECORD")
    try:
        with open(record, "rb") as file:
            listed = file.read()
    except OSError:
        return ""
    return digest(listed) if b"\ncudnnlint/__init__.py," in b"\n" + listed else ""


def _checkout() -> str:
    """By size and time of every file."""
    return digest("\n".join(sorted(_files(PACKAGE))).encode())


def _files(directory: str) -> Iterator[str]:
    for entry in os.scandir(directory):
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _files(entry.path)
        elif not entry.name.endswith(".pyc"):
            about = entry.stat()
            yield f"{entry.path} {about.st_size} {about.st_mtime_ns}"
