"""The spellings of a library by path, each family imported when one of its paths is first asked for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cudnnlint.ops.protocol import Spelling

INDEX = Path(__file__).with_name("index.txt")
"""A line a module: its name below cudnnlint.ops, then the paths that it spells. Generated with the documentation."""

broken: list[str] = []
"""One line for each module that did not load."""


@cache
def modules() -> Mapping[str, str]:
    """Path -> the module that spells it, as of the index."""
    lines = [line.split() for line in INDEX.read_text(encoding="utf-8").splitlines()]
    return {path: module for module, *paths in lines for path in paths}


@cache
def bring(module: str) -> None:
    """Import a module of this package; one that does not load takes nothing else with it."""
    try:
        importlib.import_module(f"cudnnlint.ops.{module}")
    except Exception as error:
        broken.append(f"cudnnlint.ops.{module} does not load: {type(error).__name__}: {error}".replace("\n", " "))


@cache
def bring_all() -> None:
    """Import every module of this package, also what the index does not name yet."""
    for prefix in ("", "functions.", "torch."):
        package = importlib.import_module(f"cudnnlint.ops.{prefix}".rstrip("."))
        for found in pkgutil.iter_modules(package.__path__):
            bring(prefix + found.name)


class Table(Mapping[str, "Spelling"]):
    """Looking one path up imports one module; going through all of them imports all."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, Spelling] = {}

    def add(self, spelling: Spelling) -> None:
        if spelling.path in self._known:
            raise ValueError(f"{spelling.path} is spelled twice")
        self._known[spelling.path] = spelling

    def get(self, path: Any, default: Any = None) -> Any:
        found = self._known.get(path)
        if found is None and (module := modules().get(path)) is not None:
            bring(module)
            found = self._known.get(path)
        return default if found is None else found

    def __getitem__(self, path: str) -> Spelling:
        found: Spelling | None = self.get(path)
        if found is None:
            raise KeyError(path)
        return found

    def __contains__(self, path: object) -> bool:
        return path in self._known or (path in modules() and self.get(path) is not None)

    def __iter__(self) -> Iterator[str]:
        bring_all()
        return iter(self._known)

    def __len__(self) -> int:
        bring_all()
        return len(self._known)


def index() -> str:
    """What the index should hold: read off the builders' modules. ImportError if one of them does not load."""
    from cudnnlint.ops.protocol import FUNCTIONS, LAYERS

    found: dict[str, list[str]] = {}
    for table in (LAYERS, FUNCTIONS):
        for path, spelling in table.items():
            found.setdefault(spelling.builder.__module__.removeprefix("cudnnlint.ops."), []).append(path)
    if broken:
        raise ImportError("\n".join(broken))
    return "".join(f"{module} {' '.join(sorted(paths))}\n" for module, paths in sorted(found.items()))
