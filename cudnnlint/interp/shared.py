"""What the files of one run have in common: the modules that they import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudnnlint.source import Source

if TYPE_CHECKING:
    from cudnnlint.interp.objects import ModuleV
    from cudnnlint.values import Stack


class Shared:
    """Imported modules of one run, analysed once for all files that import them; their text is parsed once.

    modules  by path, dotted name and versions: what a relative import means hangs on the name
    """

    def __init__(self) -> None:
        self.modules: dict[tuple[str, str, Stack], ModuleV] = {}
        self._sources: dict[str, Source] = {}

    def source(self, path: str) -> Source:
        """The file at `path`, with its tree; SourceError if it cannot be read or parsed."""
        if path not in self._sources:
            source = Source.read(path)
            source.tree()
            self._sources[path] = source
        return self._sources[path]
