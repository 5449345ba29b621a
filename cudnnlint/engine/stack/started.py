"""How a project's own files start Python: with TF_USE_LEGACY_KERAS set, tf.keras is Keras 2."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cudnnlint.engine.requirements.dependencies import levels
from cudnnlint.source import disk
from cudnnlint.source.asked import remembered

FOLDERS = ("", ".github/workflows", "scripts", "ci", "docker")
"""Where a project keeps what runs its tests and builds its images, below its root."""
NAMES = ("Makefile", "makefile", "tox.ini", "setup.cfg", "pyproject.toml", "pytest.ini", "Dockerfile", ".env")
ENDINGS = (".sh", ".yml", ".yaml")
LARGEST = 1 << 17
"""Bytes of a file that are looked at."""
_FLAG = rb"(?m)^[^#\n]*\bTF_USE_LEGACY_KERAS[^\w\n]{1,4}(1|0|[Tt]rue|[Ff]alse)\b"


def legacy_where_started(directory: Path) -> str:
    """Why tf.keras is Keras 2 for a module of `directory`: a file of the project sets the flag, and none unsets it."""
    return _flagged(levels(directory)[-1])


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
