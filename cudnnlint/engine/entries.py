"""Scripts that name no framework and yet run one: modules of the project that they import do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from cudnnlint.engine.project import import_roots
from cudnnlint.facts.project import LARGEST, find_module
from cudnnlint.source import disk, names_framework

IMPORTS = re.compile(
    rb"^[ \t]*\"?[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import\b[ \t(]*([\w \t,]*)|import[ \t]+([\w., \t]+))", re.M)
RUNS = re.compile(rb"^[ \t]*\"?[ \t]*%run[ \t]+(?:-i[ \t]+)?([\w./-]+)", re.M)
DEPTH = 2
"""How far imports are followed: to a module, and to what the __init__.py of a package takes from its modules."""


def worth_parsing(path: str, data: bytes) -> bool:
    """Whether a file names a framework, or imports what does; judged without parsing anything."""
    return names_framework(data) or _imports_one(path, data, DEPTH)


def _imports_one(path: str, data: bytes, depth: int) -> bool:
    return any(_leads_to_one(file, disk.stamp(file), depth) for file in dict.fromkeys(_imported(path, data)))


@lru_cache(maxsize=8192)
def _leads_to_one(file: str, changed: Any, depth: int) -> bool:
    """Whether a module names a framework, or imports what does; asked once of each as it stands."""
    text = _read(file)
    return names_framework(text) or (depth > 1 and _imports_one(file, text, depth - 1))


def _imported(path: str, data: bytes) -> Iterator[str]:
    """Files of the project that import statements name."""
    roots = import_roots(path)
    for dots, module, names, plain in IMPORTS.findall(data):
        base = list(roots)
        if dots:
            base = [os.path.normpath(os.path.join(os.path.dirname(path), *[".."] * (len(dots) - 1)))]
        dotted = [module] if module else []
        for name in re.findall(rb"\w+", names.replace(b" as ", b",")):
            dotted.append(module + b"." + name if module else name)
        for name in plain.split(b","):
            dotted += name.split()[:1]
        for name in dotted:
            found = find_module(base, name.decode("ascii", "replace").strip("."))
            if found is not None and found[0] and not _is_same(found[0], path):
                yield found[0]
    for name in RUNS.findall(data) if path.endswith(".ipynb") else ():
        file = os.path.join(os.path.dirname(path), os.fsdecode(name))
        yield from (file + ending for ending in ("", ".py", ".ipynb") if disk.is_file(file + ending))


def _is_same(file: str, path: str) -> bool:
    """Whether a module is the one that imports it, reached another way; asked of the file system only if it may be."""
    return os.path.basename(file) == os.path.basename(path) and disk.real_path(file) == disk.real_path(path)


def _read(path: str) -> bytes:
    try:
        return disk.read(path, LARGEST)
    except OSError:
        return b""
