"""What other files of a project say: a function that nothing here calls runs in a program that they have set up."""

from __future__ import annotations

import itertools

from cudnnlint.source import disk
from cudnnlint.source.asked import remembered

MOST_FILES = 300
LARGEST = 1 << 18
"""Bytes of a file that are looked at; larger ones are data, or notebooks full of pictures."""
SKIPPED = frozenset({"node_modules", "site-packages", "venv", "env", "build", "dist", "__pycache__"})


@remembered
def is_said_below(directory: str, word: str) -> bool:
    """Whether a module or notebook of a directory, or below it, says `word`: of many only the first are read."""
    files = disk.walk(directory, (".py", ".ipynb"), lambda name: name not in SKIPPED)
    return any(_says(file, word.encode()) for file in itertools.islice(files, MOST_FILES))


def _says(file: str, word: bytes) -> bool:
    try:
        return disk.size(file) <= LARGEST and word in disk.read(file)
    except OSError:
        return False
