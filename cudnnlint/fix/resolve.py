"""From what a rule asks for to edits of the files: a fix that does not find its place is left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cudnnlint.finding import Edit, Finding, Recipe, call_of
from cudnnlint.fix.calls import Text
from cudnnlint.fix.edits import edits
from cudnnlint.source import Source, SourceError


class Resolver:
    """Makes edits of the changes of findings; `read` gives the source of a file, or None if it is not to be changed."""

    def __init__(self, read: Callable[[str], Source | None]) -> None:
        self._read = read
        self._texts: dict[str, Text | None] = {}

    def resolved(self, finding: Finding) -> Finding:
        """With the edits of its fix, or without a fix."""
        fix = finding.fix
        return finding if fix is None or not fix.changes else replace(finding, fix=self._recipe(fix))

    def _recipe(self, fix: Recipe) -> Recipe | None:
        made: list[Edit] = list(fix.edits)
        for change in fix.changes:
            text = self._text(call_of(change).path)
            found = edits(change, text) if text is not None else None
            if found is None:
                return None
            made += found
        return Recipe(fix.title, tuple(made), fix.applicability)

    def _text(self, path: str) -> Text | None:
        if path not in self._texts:
            self._texts[path] = self._opened(path)
        return self._texts[path]

    def _opened(self, path: str) -> Text | None:
        try:
            source = self._read(path)
            if source is None:
                return None
            source.tree()
        except SourceError:
            return None
        return Text(source)
