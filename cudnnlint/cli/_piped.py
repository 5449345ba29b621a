"""Standard input in place of a file: its code under the name that --stdin-filename gives it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cudnnlint.cli._settings import STDIN
from cudnnlint.source.unsaved import holding

NAME = "stdin.py"


@contextmanager
def piped(paths: Sequence[str], filename: str | None) -> Iterator[list[str]]:
    """The paths with that name for `-`; within it a file of that name has what was piped."""
    if STDIN not in paths:
        yield list(paths)
        return
    name = filename or NAME
    with holding({name: sys.stdin.buffer.read()}):
        yield [name if path == STDIN else path for path in paths]
