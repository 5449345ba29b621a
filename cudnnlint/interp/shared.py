"""What the files of one run have in common: the modules that they import."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.objects import ClassV, ModuleV
from cudnnlint.source import Source
from cudnnlint.source.asked import Asked, asking, rely

if TYPE_CHECKING:
    from cudnnlint.interp.keras.moulds import Mould
    from cudnnlint.values import Stack


class Shared:
    """Imported modules of one run, analysed once for all files that import them; their text is parsed once.

    modules  by path, dotted name and versions: what a relative import means hangs on the name
    moulds   what constructors of their layers made, by class and arguments
    given    parameters that a file gives the functions of others at its first call: (path, line) -> names
    """

    def __init__(self) -> None:
        self.modules: dict[tuple[str, str, Stack], ModuleV] = {}
        self.moulds: dict[Any, Mould] = {}
        self.given: dict[tuple[str, int], frozenset[str]] = {}
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

    def leave(self, directory: str) -> None:
        """Let go of the modules that lie in the directory of a project: the files to come are of another one.

        Trees are many times the size of the text, and a run over many projects would keep those of all.
        """
        inside = directory.rstrip(os.sep) + os.sep
        left = [key for key, module in self.modules.items() if os.path.abspath(module.path).startswith(inside)]
        for key in left:
            _open_circles(self.modules.pop(key))
        for place in [place for place in self._sources if place.startswith(inside)]:
            del self._sources[place]
        if left:
            for mould in self.moulds.values():
                mould.let_go()
            self.moulds.clear()

    def lend_tree(self, source: Source) -> None:
        """Spare a file that another one imported before to be parsed once more."""
        known = self._sources.get(os.path.abspath(source.path))
        if known is not None:
            source.take_tree(known[0])


def _open_circles(module: ModuleV) -> None:
    """So that what only the module holds goes at once."""
    for value in module.scope.items.values():
        if type(value) is ClassV and value.module is module:
            value.items.clear()
            value.mro = value.bases = ()
    module.scope.items.clear()
