"""Scripts that name no framework and yet run one: modules of the project that they import do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cudnnlint.engine.project import import_roots
from cudnnlint.facts.project import LARGEST, find_module
from cudnnlint.source import disk, names_framework
from cudnnlint.source.asked import remembered
from cudnnlint.source.roots import import_statements

RUNS = re.compile(rb"^[ \t]*\"?[ \t]*%run[ \t]+(?:-i[ \t]+)?([\w./-]+)", re.M)
BY_NAME = re.compile(rb"\bimport_module\([ \t]*[fF]?[\"']([A-Za-z_][\w.]*)")
"""import_module("nets.unet"), import_module("nets." + name), import_module(f"nets.{name}")."""
DEPTH = 2
"""How far imports are followed: to a module, and to what the __init__.py of a package takes from its modules."""


def worth_parsing(path: str, data: bytes) -> bool:
    """Whether a file names a framework, or imports what does; judged without parsing anything."""
    return names_framework(data) or _any_leads_to_one(_imported(path, data), DEPTH)


def _any_leads_to_one(files: Iterable[str], depth: int) -> bool:
    return any(_leads_to_one(file, disk.stamp(file), depth) for file in dict.fromkeys(files))


@remembered
def _leads_to_one(file: str, changed: Any, depth: int) -> bool:
    """Whether a module names a framework, or imports what does; asked once of each as it stands."""
    names, imported = _gist(file, changed)
    return names or (depth > 1 and _any_leads_to_one(imported, depth - 1))


@remembered
def _gist(file: str, changed: Any) -> tuple[bool, tuple[str, ...]]:
    """Whether a module names a framework, and if not the files that it imports; each is read once as it stands."""
    text = _read(file)
    return (True, ()) if names_framework(text) else (False, tuple(_imported(file, text)))


def _imported(path: str, data: bytes) -> Iterator[str]:
    """Files of the project that import statements name."""
    roots = import_roots(path)
    for dots, module, names, plain in import_statements(data):
        base = list(roots)
        if dots:
            base = [os.path.normpath(os.path.join(os.path.dirname(path), *[".."] * (len(dots) - 1)))]
        whole = [module] if module else [name for part in plain.split(b",") for name in part.split()[:1]]
        found = [_find(base, name) for name in whole]
        if not module or (found[0] is not None and found[0][1]):  # only a package has modules
            found += [_find(base, module + b"." + name) for name in re.findall(rb"\w+", names.replace(b" as ", b","))]
        yield from (file for file, _ in filter(None, found) if file and not _is_same(file, path))
    for name in BY_NAME.findall(data) if b"import_module" in data else ():
        yield from _named(roots, name.decode("ascii", "replace"))
    for name in RUNS.findall(data) if path.endswith(".ipynb") else ():
        file = os.path.join(os.path.dirname(path), os.fsdecode(name))
        yield from (file + ending for ending in ("", ".py", ".ipynb") if disk.is_file(file + ending))


def _named(roots: Sequence[str], dotted: str) -> Iterator[str]:
    """The module of a name, or all that are in a package where the rest of the name is computed."""
    if not dotted.endswith("."):
        yield from (file for file, _ in filter(None, [find_module(roots, dotted)]) if file)
        return
    for root in roots:
        directory = os.path.join(root, *dotted.strip(".").split("."))
        if disk.is_directory(directory):
            yield from (os.path.join(directory, name) for name in disk.listed(directory, (".py",))[1])


def _find(roots: Sequence[str], dotted: bytes) -> tuple[str, bool] | None:
    return find_module(roots, dotted.decode("ascii", "replace").strip("."))


def _is_same(file: str, path: str) -> bool:
    """Whether a module is the one that imports it, reached another way; asked of the file system only if it may be."""
    return os.path.basename(file) == os.path.basename(path) and disk.real_path(file) == disk.real_path(path)


def _read(path: str) -> bytes:
    try:
        return disk.read(path, LARGEST)
    except OSError:
        return b""
