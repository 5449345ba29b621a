"""Where outcomes are kept: a directory that says of itself that it is a cache, bounded in size, gone when asked."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.replacing import replace

NAME = ".cudnnlint_cache"
TAG = ("Signature: 8a477f597d28d172789f06886806bc55\n"
       "# This directory holds findings that cudnnlint keeps from run to run.\n")
"""CACHEDIR.TAG: backup programs leave such a directory out (bford.info/cachedir)."""
MOST_BYTES = 256 << 20
"""When there is more, the oldest half goes."""
LOOKED_AT = 64
"""One in so many that are written looks how much there is."""


def directory_of(settings: Settings) -> str | None:
    """That of the settings, else one beside the configuration file, else one of the user's; None if there is none."""
    if settings.cache_dir:
        return os.path.join(settings.root, os.path.expanduser(settings.cache_dir))
    if settings.file is not None:
        return os.path.join(settings.root, NAME)
    try:
        from platformdirs import user_cache_dir
    except ImportError:
        return None
    return os.path.join(user_cache_dir("cudnnlint", appauthor=False), "check")


def write(directory: str, name: str, data: bytes) -> None:
    """All of it or nothing, whoever else writes there; OSError if that cannot be."""
    file = os.path.join(directory, name)
    if not os.path.isdir(os.path.dirname(file)):
        _made(directory)
        os.makedirs(os.path.dirname(file), exist_ok=True)
    replace(file, data)
    if os.urandom(1)[0] % LOOKED_AT == 0:
        with contextlib.suppress(OSError):
            tidy(directory, MOST_BYTES)


def tidy(directory: str, most: int) -> None:
    """Let go of the older half of what is kept if that is too much."""
    held = sorted((about.st_mtime_ns, about.st_size, path) for path, about in _entries(directory))
    excess = sum(size for _, size, _ in held) - most // 2 if sum(size for _, size, _ in held) > most else 0
    for _, size, path in held:
        if excess <= 0:
            return
        excess -= size
        with contextlib.suppress(OSError):
            os.unlink(path)


def clean(directory: str) -> bool:
    """Remove the cache; False, and nothing is touched, if the directory does not say that it is one of ours."""
    try:
        with open(os.path.join(directory, "CACHEDIR.TAG"), encoding="utf-8") as file:
            if file.read() != TAG:
                return False
    except (OSError, ValueError):
        return False
    shutil.rmtree(directory)
    return True


def _made(directory: str) -> None:
    """The directory, with what keeps it out of backups and repositories; another one that is there gets nothing."""
    if os.path.isdir(directory) and os.listdir(directory):
        return
    os.makedirs(directory, exist_ok=True)
    for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", TAG)):
        with open(os.path.join(directory, name), "w", encoding="utf-8", newline="\n") as file:
            file.write(text)


def _entries(directory: str) -> Iterator[tuple[str, os.stat_result]]:
    for top in os.scandir(directory):
        if len(top.name) == 2 and top.is_dir(follow_symlinks=False):
            for entry in os.scandir(top.path):
                with contextlib.suppress(OSError):
                    yield entry.path, entry.stat()
