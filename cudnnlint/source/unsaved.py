"""Text that is to be read in place of a file: a fix that is tried, before anything is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_HELD: ContextVar[Mapping[str, bytes]] = ContextVar("unsaved")


@contextmanager
def holding(files: Mapping[str, bytes]) -> Iterator[None]:
    """Within it these files, by path, have these bytes."""
    token = _HELD.set({os.path.realpath(path): data for path, data in files.items()})
    try:
        yield
    finally:
        _HELD.reset(token)


def holds_any() -> bool:
    """Whether any file is not as it is on disk."""
    return bool(_HELD.get({}))


def unsaved(path: str | Path) -> bytes | None:
    """The bytes that a file has for now, or None: those on disk."""
    held = _HELD.get({})
    return held.get(os.path.realpath(path)) if held else None
