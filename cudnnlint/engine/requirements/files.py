"""What a project asks to have installed together: requirements of one file with their lines, read as data, never run.

Lock files are left out: they come out of a resolver that has read the same metadata.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cudnnlint.engine.requirements import manifests
from cudnnlint.source import Span, disk, names_framework

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

LARGEST = 1024 * 1024
"""Bytes of a file that are read at most; what people write by hand has some KiB."""
MOST_FILES = 16
"""Files that one requirements file includes at most, directly or not."""
_NAMES = re.compile(r"(?:[\w.-]*requirements?[\w.-]*\.(?:txt|in)|pyproject\.toml|Pipfile|"
                    r"(?:conda|environment)[\w.-]*\.ya?ml)", re.IGNORECASE)
_INCLUDE = r"\s*(?:-r|-c|--requirement|--constraint)[\s=]+(\S+)"
_PINNED_PYTHON = r"(?:python-)?(\d+\.\d+)(?:\.\d+)?\s*"
_ON_LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64",
             "extra": "", "implementation_name": "cpython", "platform_python_implementation": "CPython"}
_PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
"""A requirement with a marker counts if it holds on all of them."""


class Listed(NamedTuple):
    """One requirement. `name` is canonical, `text` as the user wrote it without comments."""

    name: str
    extras: frozenset[str]
    specifier: SpecifierSet
    text: str
    span: Span


class Listing(NamedTuple):
    """What is installed together; `python` is what the project says of the interpreter, and where."""

    lines: tuple[Listed, ...]
    python: Listed | None = None


def is_requirements(path: str) -> bool:
    """Whether a file lists requirements, by its name; those of a folder `requirements` need no name.

    >>> is_requirements("requirements-gpu.txt"), is_requirements("requirements/base.txt"), is_requirements("notes.txt")
    (True, True, False)
    """
    folder, name = os.path.split(path)
    return bool(_NAMES.fullmatch(name)) or (os.path.basename(folder) == "requirements" and name.endswith(".txt"))


def requirements_text(path: str) -> str:
    """A file's text; "" if it is too large or cannot be read."""
    return manifests.read(Path(path), LARGEST)


def read_listings(path: str, text: str) -> list[Listing]:
    """The listings of a file; none if it is malformed or says nothing about a framework."""
    if not names_framework(text.encode("utf-8", "replace").lower()):
        return []
    name = os.path.basename(path)
    reader = next((reader for ending, reader in _READERS.items() if name.endswith(ending)), _requirements)
    try:
        return [Listing(tuple(lines), python) for lines, python in reader(path, text)]
    except Exception:  # whatever a parser makes of someone else's broken file is not our finding
        return []


Found = Iterator[tuple[Iterable[Listed], "Listed | None"]]


def _requirements(path: str, text: str) -> Found:
    yield list(_lines(path, text, set())), _python_beside(os.path.dirname(path))


def _lines(path: str, text: str, seen: set[str]) -> Iterator[Listed]:
    """Of a requirements file and those that it includes."""
    seen.add(disk.real_path(path))
    joined: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        joined.append(line.removesuffix("\\"))
        if line.endswith("\\"):
            continue
        whole, first = " ".join(joined), number - len(joined) + 1
        joined = []
        if include := re.match(_INCLUDE, whole):
            yield from _included(os.path.join(os.path.dirname(path), include[1]), seen)
        elif (requirement := next(manifests.requirements(whole), "")) and (
                found := _listed(requirement, _span(path, first, text.splitlines()[first - 1], requirement))):
            yield found


def _included(path: str, seen: set[str]) -> Iterator[Listed]:
    if len(seen) < MOST_FILES and disk.real_path(path) not in seen:
        yield from _lines(path, manifests.read(Path(path), LARGEST), seen)


def _listed(requirement: str, span: Span) -> Listed | None:
    """None for what is no requirement, and for one that holds somewhere only."""
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    if len(requirement) > manifests.LONGEST:
        return None
    try:
        parsed = Requirement(requirement)
    except InvalidRequirement:
        return None
    if parsed.url or (parsed.marker is not None and not all(
            parsed.marker.evaluate({**_ON_LINUX, "python_version": python, "python_full_version": f"{python}.0"})
            for python in _PYTHONS)):
        return None
    text = requirement.partition(";")[0].strip()
    return Listed(canonicalize_name(parsed.name), frozenset(parsed.extras), parsed.specifier, text, span)


def _span(path: str, number: int, line: str, text: str) -> Span:
    """Of the text in its line; else of the whole line."""
    start = line.find(text)
    if start < 0:
        stripped = line.strip()
        start, text = line.find(stripped), stripped
    return Span(path, number, start, number, start + len(text))


def _pyproject(path: str, text: str) -> Found:
    document = manifests.toml(text)
    if document.get("tool", {}).get("uv", {}).get("override-dependencies"):
        return  # what packages require is not what counts
    project, poetry = document.get("project", {}), document.get("tool", {}).get("poetry", {})
    lines = text.splitlines()
    asked = project.get("requires-python") or poetry.get("dependencies", {}).get("python", "")
    python = _python(str(asked), _find(path, lines, str(asked)))
    base = _all(path, lines, project.get("dependencies", ()))
    base += _table(path, lines, {name: value for name, value in poetry.get("dependencies", {}).items()
                                 if name != "python"})
    groups = [_all(path, lines, group) for group in project.get("optional-dependencies", {}).values()]
    for group in [[], *groups]:
        yield [*base, *group], python


def _all(path: str, lines: list[str], requirements: Iterable[Any]) -> list[Listed]:
    texts = [text for text in requirements if isinstance(text, str)]
    return [found for text in texts if (found := _listed(text, _find(path, lines, text)))]


def _table(path: str, lines: list[str], dependencies: Mapping[str, Any]) -> list[Listed]:
    """Poetry's and Pipenv's tables; an entry with a marker, a source or a Python of its own says nothing."""
    found = []
    for name, value in dependencies.items():
        plain = value if isinstance(value, dict) else {"version": value}
        if plain.keys() <= {"version", "extras"} and isinstance(plain.get("version"), str):
            texts = list(manifests.poetry_table({name: plain["version"]}))
            extras = f"[{','.join(plain['extras'])}]" if plain.get("extras") else ""
            at = next((i for i, line in enumerate(lines, 1) if re.match(rf'\s*"?{re.escape(name)}"?\s*=', line)), 1)
            span = _span(path, at, lines[at - 1], lines[at - 1].partition("#")[0].strip())
            found += [each for text in texts if (each := _listed(name + extras + text.removeprefix(name), span))]
    return found


def _pipfile(path: str, text: str) -> Found:
    document, lines = manifests.toml(text), text.splitlines()
    asked = document.get("requires", {}).get("python_version", "")
    python = _python(f"=={asked}.*", _find(path, lines, asked)) if asked else None
    yield _table(path, lines, document.get("packages", {})), python


def _conda(path: str, text: str) -> Found:
    """The list that pip installs, and conda's Python: conda's own packages are built otherwise than the wheels."""
    lines, found = text.splitlines(), []
    python, depth = None, -1
    for number, line in enumerate(lines, 1):
        entry = re.match(r"(\s*)-\s+[\"']?([^#\"']*)", line)
        if entry is None:
            continue
        content = entry[2].strip()
        if content == "pip:":
            depth = len(entry[1])
        elif depth >= 0 and len(entry[1]) > depth:
            found += [each for each in [_listed(content, _span(path, number, line, content))] if each]
        else:
            depth = -1
            if version := re.fullmatch(r"python\s*={1,2}\s*(\d+\.\d+)(?:\.\d+|\.\*)?", content):
                python = _python(f"=={version[1]}.*", _span(path, number, line, content))
    yield found, python


def _find(path: str, lines: list[str], text: str) -> Span:
    """The first line with this text in quotes."""
    at = next((i for i, line in enumerate(lines, 1) if f'"{text}"' in line or f"'{text}'" in line), 1)
    return _span(path, at, lines[at - 1] if lines else "", text)


def _python(specifier: str, span: Span) -> Listed | None:
    texts = list(manifests.poetry_table({"python": specifier})) if specifier else []
    found = _listed(texts[0], span) if texts else None
    return found if found and found.specifier else None


def _python_beside(directory: str) -> Listed | None:
    """What `.python-version`, `runtime.txt` or `pyproject.toml` of the same directory says."""
    for name in (".python-version", "runtime.txt"):
        path = os.path.join(directory, name)
        if found := re.fullmatch(_PINNED_PYTHON, text := manifests.read(Path(path), LARGEST)):
            return _python(f"=={found[1]}.*", Span(path, 1, 0, 1, len(text.strip())))
    path = os.path.join(directory, "pyproject.toml")
    listings = _pyproject(path, manifests.read(Path(path), LARGEST))
    try:
        return next((python for _, python in listings), None)
    except Exception:  # as in read_listings
        return None


_READERS: Mapping[str, Callable[[str, str], Found]] = {
    "pyproject.toml": _pyproject, "Pipfile": _pipfile, ".yml": _conda, ".yaml": _conda}
