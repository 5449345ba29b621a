"""Which files a change of some may concern: those that name them, and those that name these."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from cudnnlint.records import record
from cudnnlint.source import Source, SourceError

WORD = re.compile(r"[^\W\d]\w*")


@record(slots=True)
class Reach:
    """`files` are all that are linted. A module's name is looked for as a word, which finds more than imports."""

    files: Sequence[str]
    sources: Mapping[str, Source]
    _words: dict[str, frozenset[str]] = field(default_factory=dict)

    def of(self, changed: Iterable[str]) -> list[str]:
        """The changed files and all that may import them, in the order of `files`."""
        reached = set(changed)
        names = {module_name(path) for path in reached}
        grown = True
        while grown:
            more = [path for path in self.files if path not in reached and names & self._told(path)]
            grown = bool(more)
            reached.update(more)
            names.update(map(module_name, more))
        return [path for path in self.files if path in reached]

    def _told(self, path: str) -> frozenset[str]:
        if path not in self._words:
            self._words[path] = frozenset(WORD.findall(self._text(path)))
        return self._words[path]

    def _text(self, path: str) -> str:
        source = self.sources.get(path)
        try:
            return (source or Source.read(path)).text
        except SourceError:
            return ""


def module_name(path: str) -> str:
    """
    >>> module_name("src/blocks.py"), module_name("nets/__init__.py")
    ('blocks', 'nets')
    """
    folder, name = os.path.split(path)
    stem = name.partition(".")[0]
    return os.path.basename(os.path.abspath(folder)) if stem == "__init__" else stem
