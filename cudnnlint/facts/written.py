"""Files that a notebook writes as it runs: modules of its project whose text stands in its cells."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from cudnnlint.source import Source, disk, names_framework
from cudnnlint.source.parse import parse

HOMES = ("/content", "/kaggle/working")
"""Where the notebooks of Colab and Kaggle are started: absolute paths there are below the notebook's directory."""


class Part(NamedTuple):
    """What one cell writes: `text`, from a line of a notebook on."""

    source: Source
    line: int
    text: str


class WrittenFiles:
    """By path; None for one that is more than what the notebook wrote."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._files: dict[str, tuple[Part, ...] | None] = {}

    def __bool__(self) -> bool:
        return bool(self._files)

    def __contains__(self, path: str) -> bool:
        return path in self._files

    def place(self, path: str) -> str:
        """Where a path of the program leads."""
        for home in HOMES:
            path = path.removeprefix(home + "/")
        return os.path.normpath(os.path.join(self._directory, path))

    def write(self, path: str, part: Part, *, append: bool) -> None:
        place = self.place(path)
        before = self._files.get(place, None if disk.exists(place) else ()) if append else ()
        same = before is not None and all(each.source is part.source for each in before)
        self._files[place] = (*(before or ()), part) if same else None

    def find(self, roots: Iterable[str], dotted: str) -> tuple[str, bool] | None:
        """(file, is it a package) of a module, as `facts.project.find_in` tells it."""
        if not self._files:
            return None
        namespace = None
        for root in dict.fromkeys([self._directory, *map(self.place, roots)]):
            base = os.path.join(root, *dotted.split("."))
            for path, is_package in ((os.path.join(base, "__init__.py"), True), (base + ".py", False)):
                if path in self._files:
                    return path, is_package
            if any(path.startswith(base + os.sep) for path in self._files) and not disk.is_file(base + ".py"):
                namespace = namespace or ("", True)
        return namespace

    def read(self, path: str) -> Source | None:
        """A written file as a part of its notebook, so that what is found there is found in its cells.

        None if what it holds is not known; SourceError if that is not Python.
        """
        parts = self._files[path]
        return None if not parts else Source(parts[0].source.path, parts[0].source.text, cells=parts[0].source.cells,
                                             tree=_tree(parts))

    def programs(self) -> Iterator[str]:
        """Paths of those in Python, if any of them names a framework."""
        known = {path: parts for path, parts in self._files.items() if parts and path.endswith(".py")}
        if any(names_framework(part.text.encode("utf-8", "replace")) for parts in known.values() for part in parts):
            yield from known


def _tree(parts: Sequence[Part]) -> ast.Module:
    """Each part on the lines on which it stands."""
    text = ""
    for part in parts:
        text += "\n" * (part.line - 1 - text.count("\n")) + part.text + "\n"
    return parse(parts[0].source.path, text)
