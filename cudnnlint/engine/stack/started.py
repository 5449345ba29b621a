"""How a project's own files start Python, and what its package sets: with TF_USE_LEGACY_KERAS, tf.keras is Keras 2."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

from cudnnlint.engine.requirements.dependencies import levels
from cudnnlint.source import disk
from cudnnlint.source.asked import note, remembered, unheard

FOLDERS = ("", ".github/workflows", "scripts", "ci", "docker")
"""Where a project keeps what runs its tests and builds its images, below its root."""
NAMES = ("Makefile", "makefile", "tox.ini", "setup.cfg", "pyproject.toml", "pytest.ini", "Dockerfile", ".env")
ENDINGS = (".sh", ".yml", ".yaml")
LARGEST = 1 << 17
"""Bytes of a file that are looked at."""
_FLAG = rb"(?m)^[^#\n]*\bTF_USE_LEGACY_KERAS[^\w\n]{1,4}(1|0|[Tt]rue|[Ff]alse)\b"
_SET = rb"(?m)^os\.environ(?:\[|\.setdefault\()[\"']TF_USE_LEGACY_KERAS[\"'][^\w\n]{2,8}(?:1|[Tt]rue)\b"
"""A statement of a module itself, under no condition."""
MOST_FILES = 64
"""More modules in one folder of a package would take longer than what asks."""


def legacy_where_started(directory: Path) -> str:
    """Why tf.keras is Keras 2 for a module of `directory`: a file of the project sets the flag, and none unsets it, or
    another module of its package sets it.
    """
    return _flagged(levels(directory)[-1]) or legacy_of_package(directory)


def legacy_of_package(directory: Path) -> str:
    """Which other module of the package that `directory` is in makes tf.keras Keras 2 for all of it."""
    return next(filter(None, map(_set_in, itertools.takewhile(_is_package, levels(directory)))), "")


def still(file: str, told: bool) -> bool:
    """Whether a module sets the flag as it did."""
    return _sets(file) == told


def _is_package(folder: str) -> bool:
    return disk.is_file(os.path.join(folder, "__init__.py"))


@remembered
def _set_in(folder: str) -> str:
    """By a module that lies in this folder of a package; what else changes in one is not asked for."""
    files = disk.listed(folder, (".py",))[1]
    for name in files if len(files) <= MOST_FILES else ():
        file = os.path.join(folder, name)
        with unheard():
            sets = _sets(file)
        note(("sets", file), sets)
        if sets:
            return f"TF_USE_LEGACY_KERAS is set in {name}"
    return ""


def _sets(file: str) -> bool:
    try:
        data = disk.read(file, LARGEST)
    except OSError:
        return False
    return b"TF_USE_LEGACY_KERAS" in data and re.search(_SET, data) is not None


@remembered
def _flagged(root: str) -> str:
    told: dict[bool, str] = {}
    for folder in FOLDERS:
        for name in _files(os.path.join(root, folder) if folder else root):
            data = disk.read(name, LARGEST) if disk.is_file(name) else b""
            for flag in re.findall(_FLAG, data) if b"TF_USE_LEGACY_KERAS" in data else ():
                told.setdefault(flag in (b"1", b"True", b"true"), os.path.basename(name))
    return f"TF_USE_LEGACY_KERAS is set in {told[True]}" if True in told and False not in told else ""


def _files(folder: str) -> list[str]:
    files = disk.listed(folder, ENDINGS)[1] if disk.is_directory(folder) else []
    return [os.path.join(folder, name) for name in (*NAMES, *sorted(files))]
