"""Readers of dependency files: the text of one file to requirement lines (PEP 508)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cudnnlint.source import disk

PROJECT_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "Pipfile", "environment.yml")

_LOCKED = r'(?m)^name = "([\w.-]+)"\s*\n(?:[\w-]+ = .*\n){0,8}?version = "([\w.+!-]+)"'
_QUOTED = r"""["']([A-Za-z][\w.-]*(?:\[[\w, -]*\])?\s*(?:[=<>~!]=?[^"'\n]*)?)["']"""
_CONDA = r"\s*-\s*[\"']?(?:[\w.-]+::)?([A-Za-z][\w.-]*)\s*([=<>~!][^#\"']*|\d[\w.*]*)?"
_NUMBER = r"\d[\w.]*"


def read(file: Path, largest: int) -> str:
    """The text, empty if there is none or it is too large. `pip freeze` in PowerShell writes UTF-16."""
    try:
        if not disk.is_file(file) or disk.size(file) > largest:
            return ""
        data = disk.read(file)
    except OSError:
        return ""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    return data.decode(encoding, "replace")


LONGEST = 1000
"""Characters of a requirement, at most: of a number with thousands of digits Python makes none."""


def tolerant(reader: Callable[[str], Iterator[str]], text: str) -> Iterator[str]:
    """What a reader yields until it meets something malformed; entries of tables may be anything."""
    try:
        yield from (line for line in reader(text) if isinstance(line, str) and len(line) <= LONGEST)
    except Exception:  # whatever a parser makes of someone else's broken file is not our finding
        return


_ASKED_TF_KERAS = r"(?mi)^tf[-_]keras==[^\n]*(?:\n[ \t]+--hash[^\n]*)*\n[ \t]+# via(?:\n[ \t]+#)? +-r"
_VIA_TENSORFLOW = r"(?m)^keras==[^\n]*(?:\n[ \t]+--hash[^\n]*)*\n[ \t]+# via tensorflow[ \t]*$"


def requirements(text: str) -> Iterator[str]:
    """requirements.txt: options, URLs and comments are left out, and in what pip-compile wrote the Keras that only
    TensorFlow asks for (`# via tensorflow`) where the project itself asks for tf-keras.
    """
    if "# via" in text and re.search(_ASKED_TF_KERAS, text):
        text = re.sub(_VIA_TENSORFLOW, "", text)
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        requirement = re.split(r"(?:^|\s)#|\s--", line, maxsplit=1)[0].strip()
        if requirement and not requirement.startswith("-"):
            yield requirement


def lock(text: str) -> Iterator[str]:
    """poetry.lock, uv.lock, pdm.lock, pylock.toml: the name, and soon after it the version (Poetry before 1.1 sorted
    the lines of a package); of forks, the newest first."""
    for name, version in sorted(re.findall(_LOCKED, text), key=_numbers, reverse=True):
        yield f"{name}=={version}"


def _numbers(locked: tuple[str, str]) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", locked[1])]


def pipfile_lock(text: str) -> Iterator[str]:
    """Pipfile.lock."""
    import json

    document = json.loads(text)
    for group in ("default", "develop"):
        for name, entry in document.get(group, {}).items():
            yield f"{name}{entry.get('version', '')}"


def pyproject(text: str) -> Iterator[str]:
    """[project] dependencies, optional ones and groups; [tool.poetry] dependencies and groups."""
    document = toml(text)
    project = document.get("project", {})
    yield from project.get("dependencies", ())
    for group in (*project.get("optional-dependencies", {}).values(), *document.get("dependency-groups", {}).values()):
        yield from (line for line in group if isinstance(line, str))
    poetry = document.get("tool", {}).get("poetry", {})
    for table in (poetry, *poetry.get("group", {}).values()):
        yield from poetry_table(table.get("dependencies", {}))


def pipfile(text: str) -> Iterator[str]:
    """Pipfile."""
    document = toml(text)
    for group in ("packages", "dev-packages"):
        yield from poetry_table(document.get(group, {}))


def setup_cfg(text: str) -> Iterator[str]:
    """[options] install_requires and extras."""
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    yield from parser.get("options", "install_requires", fallback="").splitlines()
    if parser.has_section("options.extras_require"):
        for _, lines in parser.items("options.extras_require"):
            yield from lines.splitlines()


def setup_py(text: str) -> Iterator[str]:
    """Strings that look like requirements with a version; nothing is run."""
    for found in re.findall(_QUOTED, text):
        if re.search(r"[=<>~]", found):
            yield found


def conda(text: str) -> Iterator[str]:
    """environment.yml: `- tensorflow=2.10` and the pip list in it, line by line.

    conda's `=` is a prefix: `tensorflow=2.10` is `tensorflow==2.10.*`.
    """
    for line in text.splitlines():
        if entry := re.match(_CONDA, line):
            yield entry[1] + _conda_version((entry[2] or "").strip())


_IMAGE = r"(?im)^\s*FROM\s+(?:\S+/)?(tensorflow|pytorch)/\1:v?(\d+(?:\.\d+)+)(?![\w.])"


def dockerfile(text: str) -> Iterator[str]:
    """The base image by its tag, `FROM tensorflow/tensorflow:2.9.3-gpu`, and what `pip install` pins."""
    for image, version in re.findall(_IMAGE, text):
        yield f"{'torch' if image == 'pytorch' else image}=={version}"
    for line in text.replace("\\\n", " ").splitlines():
        if re.search(r"\bpip3? install\b", line):
            yield from re.findall(r"(?<![\w.-])[\w-]+(?:[=~<>]=|>|<)\d[\w.]*", line)


def _conda_version(spec: str) -> str:
    if spec.startswith("=") and not spec.startswith("=="):
        spec = spec[1:].partition("=")[0]  # "=2.10=gpu_py39_0": a build string follows
    if re.match(_NUMBER, spec):
        return f"=={spec.rstrip('.*')}.*"
    return re.sub(r"(==[\w.]+)=\w+$", r"\1", spec)


def poetry_table(dependencies: dict[str, Any]) -> Iterator[str]:
    for name, value in dependencies.items():
        spec = value.get("version", "") if isinstance(value, dict) else value
        if isinstance(spec, str):
            yield name + ",".join(_poetry_clause(clause.strip()) for clause in spec.split(",") if clause.strip(" *"))


def _poetry_clause(clause: str) -> str:
    """Poetry's `^2.10`, `~2.10` and `2.10` in the words of PEP 440.

    >>> _poetry_clause("^2.10")
    '>=2.10,<3'
    >>> _poetry_clause("~2.10.1")
    '>=2.10.1,==2.10.*'
    """
    if not clause.startswith(("^", "~")) or clause.startswith("~="):
        return clause if clause[0] in "<>=!~" else f"=={clause}"
    version = clause[1:].strip()
    parts = version.split(".")
    if clause[0] == "^":
        fixed = next((at for at, part in enumerate(parts) if part != "0"), len(parts) - 1)
        ceiling = ".".join([*parts[:fixed], str(int(parts[fixed]) + 1)])
        return f">={version},<{ceiling}"
    return f">={version},=={'.'.join(parts[:2])}.*"


def toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)
