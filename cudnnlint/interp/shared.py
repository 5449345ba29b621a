"""What the files of one run have in common: the modules that they import."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from cudnnlint.source import Source
from cudnnlint.source.asked import Asked, asking, rely

if TYPE_CHECKING:
    from cudnnlint.interp.keras.moulds import Mould
    from cudnnlint.interp.objects import ModuleV
    from cudnnlint.values import Stack


class Shared:
    """Imported modules of one run, analysed once for all files that import them; their text is parsed once.

    modules  by path, dotted name and versions: what a relative import means hangs on the name
    moulds   what constructors of their layers made, by class and arguments
    """

    def __init__(self) -> None:
        self.modules: dict[tuple[str, str, Stack], ModuleV] = {}
        self.moulds: dict[Any, Mould] = {}
        self._sources: dict[str, tuple[Source, Asked]] = {}

    def source(self, path: str) -> Source:
        """The file at `path`, with its tree; SourceError if it cannot be read or parsed."""
        known = self._sources.get(place := os.path.abspath(path))
        if known is None:
            asked = Asked()
            with asking(asked):
                source = Source.read(path)
            source.tree()
            known = self._sources[place] = source, asked
        rely(known[1])
        return known[0]

    def lend_tree(self, source: Source) -> None:
        """Spare a file that another one imported before to be parsed once more."""
        known = self._sources.get(os.path.abspath(source.path))
        if known is not None:
            source.take_tree(known[0])
