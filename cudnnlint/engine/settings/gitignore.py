"""What git would ignore: .gitignore files from the repository's root down, and .git/info/exclude."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from cudnnlint.records import record

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@record(frozen=True, slots=True)
class Ignored:
    """The ignore files that hold in a directory, outermost first: (directory of the file, patterns)."""

    layers: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    @classmethod
    def above(cls, top: str) -> Ignored:
        """Those of the directories above `top`, up to the repository's root; none outside a repository.

        If they ignore `top` itself, naming it overrules them.
        """
        top = os.path.abspath(top)
        directories = _up_to_repository(top)
        ignored = cls()
        if not directories:
            return ignored
        exclude = os.path.join(directories[0], ".git", "info", "exclude")
        ignored = ignored._with(directories[0], exclude)
        for directory in directories:
            if directory != top:
                ignored = ignored.entering(directory)
        return cls() if ignored._is_ignored_or_within(top) else ignored

    def entering(self, directory: str) -> Ignored:
        """With the .gitignore of `directory`, if it has one."""
        directory = os.path.abspath(directory)
        return self._with(directory, os.path.join(directory, ".gitignore"))

    def covers(self, path: str, is_directory: bool) -> bool:
        """Whether git ignores it, given that it does not ignore the directory that holds it."""
        if not self.layers:
            return False
        absolute = os.path.abspath(path)
        for base, spec in reversed(self.layers):
            relative = absolute[len(base):].lstrip(os.sep).replace(os.sep, "/") + ("/" if is_directory else "")
            for pattern in reversed(spec.patterns):
                if pattern.include is not None and _names(pattern.regex, relative):
                    return bool(pattern.include)
        return False

    def _is_ignored_or_within(self, directory: str) -> bool:
        base = self.layers[0][0] if self.layers else directory
        while len(directory) > len(base):
            if self.covers(directory, is_directory=True):
                return True
            directory = os.path.dirname(directory)
        return False

    def _with(self, base: str, file: str) -> Ignored:
        try:
            with open(file, encoding="utf-8", errors="replace") as lines:
                patterns = lines.read().splitlines()
        except OSError:
            return self
        from pathspec import GitIgnoreSpec

        try:
            return Ignored((*self.layers, (base, GitIgnoreSpec.from_lines(patterns))))
        except ValueError:  # one pattern that git too would call invalid
            return self


def _names(regex: re.Pattern[str] | None, path: str) -> bool:
    """Whether a pattern means this very file or directory, not one above it, which git has let pass: `!*/` does not
    bring back what is in the directories that it brings back. `b/**` is what is in b, not b."""
    for match in () if regex is None else regex.finditer(path):
        if match.groupdict().get("ps_d") is None:
            if not path.endswith("/") or regex is None or regex.search(path[:-1]) is not None:
                return True
        elif match.end() == len(path):
            return True
    return False


def _up_to_repository(directory: str) -> list[str]:
    """From the repository's root down to `directory`; empty outside a repository."""
    found: list[str] = []
    while True:
        found.insert(0, directory)
        if os.path.exists(os.path.join(directory, ".git")):
            return found
        parent = os.path.dirname(directory)
        if parent == directory:
            return []
        directory = parent
