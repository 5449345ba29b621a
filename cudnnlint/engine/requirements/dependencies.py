"""What a project says about its own dependencies, read as data: requirements, lock files, pyproject and the like.

Nothing here raises: a file that is too large or malformed says nothing.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cudnnlint.engine.project import holds_any
from cudnnlint.engine.requirements import manifests
from cudnnlint.source import disk
from cudnnlint.source.asked import remembered
from cudnnlint.values.stack import Version, parse_version

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

LARGEST = 16 * 1024 * 1024
"""Bytes of a dependency file that are read at most; lock files of large projects have a few MiB."""
DEEPEST = 24
"""Directories that are climbed at most."""

READERS: tuple[tuple[str, Callable[[str], Iterator[str]]], ...] = (
    ("uv.lock", manifests.lock), ("poetry.lock", manifests.lock), ("pdm.lock", manifests.lock),
    ("pylock.toml", manifests.lock), ("pipfile.lock", manifests.pipfile_lock),
    ("requirements.txt", manifests.requirements), ("requirements*.txt", manifests.requirements),
    ("requirements/*.txt", manifests.requirements), ("pyproject.toml", manifests.pyproject),
    ("pipfile", manifests.pipfile), ("setup.cfg", manifests.setup_cfg), ("setup.py", manifests.setup_py),
    ("environment*.yml", manifests.conda), ("environment*.yaml", manifests.conda),
    ("dockerfile", manifests.dockerfile), ("dockerfile.gpu", manifests.dockerfile),
    ("dockerfile.cpu", manifests.dockerfile),
)
"""File, in whatever case it is written, and what yields its requirements, the most telling first."""
_ENDINGS = tuple(dict.fromkeys(spelled for pattern, _ in READERS
                               for end in [os.path.basename(pattern).rpartition("*")[2]]
                               for spelled in (end, end.capitalize(), end.upper())))

_TEXT = "tensorflow-text"
"""Each release is built for the TensorFlow of its number, which it requires (facts/wheels.json); a lower bound says
less than what requires TensorFlow itself."""
_LIBRARY = (r"(?P<tensorflow>tensorflow|tensorflow-(?:gpu|cpu|macos|intel|rocm|aarch64|text)|intel-tensorflow)"
            r"|(?P<keras>keras)|(?P<torch>torch|pytorch)|(?P<tf_keras>tf-keras)|(?P<cudnn>cudnn|nvidia-cudnn-cu\d+)")
_INTERESTING = (r"(?i)\s*(?:intel[-_.]tensorflow|tensorflow|keras|torch(?![a-z])|pytorch(?![-_a-z])|tf[-_.]keras|"
                r"(?:nvidia[-_.])?cudnn)")
_ROOT_MARKS = (".git", ".hg")
_LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64",
          "extra": ""}
"""Where a GPU program is taken to run, for requirements with environment markers."""


class Pin(NamedTuple):
    """One requirement: `library` is tensorflow, keras, tf_keras, torch or cudnn; `origin` the file's name."""

    library: str
    allowed: SpecifierSet
    text: str
    origin: str

    @property
    def exact(self) -> Version | None:
        """The one version that `==` names."""
        clauses = list(self.allowed)
        if len(clauses) == 1 and clauses[0].operator in ("==", "===") and not clauses[0].version.endswith("*"):
            return parse_version(clauses[0].version)[:3] or None
        return None


def pins_around(directory: Path) -> tuple[Pin, ...]:
    """Those of the nearest directory, from `directory` up to the project's root, that says anything."""
    for each in levels(directory):
        if found := _pins_in(each):
            return found
    return ()


def levels(directory: Path) -> tuple[str, ...]:
    """`directory` and those above it, up to the project's root."""
    return _project(os.path.abspath(directory))


def parse_pin(text: str, origin: str) -> Pin | None:
    """A requirement line, if it is about a library that matters here and holds on Linux."""
    if not re.match(_INTERESTING, text):
        return None
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text.strip())
        if requirement.marker is not None and not requirement.marker.evaluate(_LINUX):
            return None
    except (InvalidRequirement, ValueError, KeyError):
        return None
    name = re.sub(r"[-_.]+", "-", requirement.name).lower()
    library = re.fullmatch(_LIBRARY, name)
    if library is None or library.lastgroup is None:
        return None
    if name == _TEXT and not any(clause.operator in ("==", "~=") for clause in requirement.specifier):
        return None
    return Pin(library.lastgroup, requirement.specifier, f"{requirement.name}{requirement.specifier}", origin)


@remembered
def _project(directory: str) -> tuple[str, ...]:
    """`directory` and those above it: to the repository's root, or outside one to the first with a project file."""
    above = [directory]
    while len(above) < DEEPEST and (parent := os.path.dirname(above[-1])) != above[-1]:
        above.append(parent)
    for marks in (_ROOT_MARKS, manifests.PROJECT_FILES):
        for at, each in enumerate(above):
            if holds_any(each, marks):
                return tuple(above[: at + 1])
    return (directory,)


@remembered
def _pins_in(directory: str) -> tuple[Pin, ...]:
    found: list[Pin] = []
    for name, reader in _files_in(directory).items():
        file = Path(directory, name)
        lines = manifests.tolerant(reader, manifests.read(file, LARGEST))
        found += [pin for line in lines if (pin := parse_pin(line, file.name)) is not None]
    return tuple(found)


def _files_in(directory: str) -> Mapping[str, Callable[[str], Iterator[str]]]:
    """Dependency files, the most telling first, each with the first reader that takes it."""
    _, names = disk.listed(directory, _ENDINGS)
    below = [f"requirements/{name}" for name in disk.listed(os.path.join(directory, "requirements"), _ENDINGS)[1]]
    found: dict[str, Callable[[str], Iterator[str]]] = {}
    for pattern, reader in READERS:
        for name in below if "/" in pattern else names:
            if fnmatch.fnmatchcase(name.lower(), pattern):
                found.setdefault(name, reader)
    return found
