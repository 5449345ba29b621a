"""Which Keras a module means: the `keras` that it imports from its own project may be Keras 2."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cudnnlint.engine.requirements.dependencies import levels
from cudnnlint.engine.stack.clues import read_clues, takes_tf_keras
from cudnnlint.engine.stack.started import legacy_of_package
from cudnnlint.source import disk
from cudnnlint.source.asked import remembered
from cudnnlint.values import Stack

_FROM_PROJECT = (rb"from(?<![^\n]from)[ \t]+(?!(?:tensorflow|keras|tf_keras)\b)([.\w]+)[ \t]+import[ \t]+"
                 rb"(?:\([^)]*|[^\n(#]*)\b(?:tf_)?keras\b")
"""`from package.compat import keras` at the start of a line; letters first, which re looks for at once."""


def legacy_of_project(directory: Path, data: bytes) -> str:
    """Why the Keras that a project hands on to a module of `directory` is Keras 2; "" where nothing says so."""
    modules = re.findall(_FROM_PROJECT, data) if b"keras" in data else ()
    for file in (file for module in dict.fromkeys(modules) for file in _files(directory, module.decode())):
        if disk.is_file(file) and (told := read_clues(disk.read(file)).legacy):
            return f"{told} in {os.path.basename(file)}"
    return ""


def fits(path: str, stack: Stack) -> bool:
    """Whether nothing in a module says that it is written for another Keras than the one of a stack."""
    return _meant(path) in ("", "3" if stack.keras >= (3,) else "2")


@remembered
def _meant(path: str) -> str:
    """Which Keras a module says that it is written for; "" where it says nothing."""
    try:
        data = disk.read(path)
    except OSError:
        return ""
    clues = read_clues(data)
    if clues.keras_3:
        return "3"
    directory = Path(os.path.dirname(path))
    if clues.legacy or legacy_of_project(directory, data) or (takes_tf_keras(data) and legacy_of_package(directory)):
        return "2"
    return ""


def _files(directory: Path, module: str) -> list[str]:
    """Where a module may lie that one in `directory` imports."""
    above = levels(directory)
    name = module.lstrip(".")
    dots = len(module) - len(name)
    roots = above[dots - 1: dots] if dots else above
    path = os.path.join(*name.split(".")) if name else ""
    return [os.path.join(root, path) + ending for root in roots for ending in (".py", os.sep + "__init__.py")]
