"""What the wheels of TensorFlow and tf_keras say of themselves, as `cudnnlint.devtools.wheels` wrote it down."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cudnnlint.records import record

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

FILE = Path(__file__).parent / "wheels.json"
PYTHONS = ("3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
"""Those that were asked for."""

Wanted = Mapping[str, tuple["SpecifierSet", ...]]
"""Canonical package name -> what is required of it: several specifiers where the Pythons differ."""


@record(frozen=True, slots=True)
class Release:
    """One version: `pythons` have a wheel on Linux, `cuda` is what the extra and-cuda adds to `requires`."""

    version: Version
    pythons: tuple[str, ...]
    requires: Wanted
    cuda: Wanted


@functools.cache
def releases(package: str) -> tuple[Release, ...]:
    """All known, oldest first; none of a package that is not in the table."""
    from packaging.version import Version

    table = json.loads(FILE.read_text(encoding="utf-8")).get(package, {})
    found = (Release(Version(version), tuple(entry["pythons"]), _wanted(entry["requires"]), _wanted(entry["cuda"]))
             for version, entry in table.items())
    return tuple(sorted(found, key=lambda release: release.version))


def _wanted(entry: Mapping[str, list[str]]) -> Wanted:
    from packaging.specifiers import SpecifierSet

    return {name: tuple(map(SpecifierSet, specifiers)) for name, specifiers in entry.items()}
