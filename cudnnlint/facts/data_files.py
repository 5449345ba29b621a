"""Configuration files of a project, read as data: bounded, never executed, never from outside of the project."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from cudnnlint.facts.project import is_inside
from cudnnlint.source import disk
from cudnnlint.source.asked import remembered
from cudnnlint.values import Unknown

LARGEST = {"JSON": 1_000_000, "TOML": 1_000_000, "INI": 200_000, "RAW INI": 200_000, "YAML": 100_000,
           "YAML 1.2": 100_000,
           "text": 100_000}
"""Bytes of a file that are read at most: PyYAML's safe loader needs a second for 100,000."""
LONGEST_NUMBER = 300
"""Digits."""
DEEPEST = 100
"""Lists and mappings within each other."""


def locate(text: str, bases: Iterable[str], within: Sequence[str]) -> str | Unknown:
    """The file that a path means, by its real path; a relative one from the `bases` where it is there."""
    candidates = [text] if os.path.isabs(text) else [os.path.join(base, text) for base in bases]
    found = sorted({disk.real_path(path) for path in candidates if disk.is_file(path)})
    name = os.path.basename(text)
    if not found:
        return Unknown(f"{name} is not in the project")
    if len(found) > 1:
        return Unknown(f"{name}: which of {len(found)} files depends on the working directory")
    return found[0] if is_inside(found[0], within) else Unknown(f"{name} lies outside of the project")


def read_file(path: str, kind: str) -> Any:
    """What a file holds, as plain data; Unknown with the reason if it cannot be said."""
    return _read(path, kind, disk.stamp(path))


@remembered
def _read(path: str, kind: str, stamp: tuple[int, int] | None) -> Any:
    name = os.path.basename(path)
    try:
        if (size := disk.size(path)) > LARGEST[kind]:
            return Unknown(f"{name} is too large: {size:,} bytes")
        text = disk.read(path, LARGEST[kind] + 1).decode("utf-8-sig")
    except OSError as error:
        return Unknown(f"{name} cannot be read: {(error.strerror or str(error)).lower()}")
    except UnicodeDecodeError:
        return Unknown(f"{name} is not UTF-8")
    return parse(text, kind, name)


def parse(text: str, kind: str, name: str) -> Any:
    """Text as data; parts that are no data (dates, tags) are Unknown."""
    if kind == "text":
        return text.replace("\r\n", "\n").replace("\r", "\n")
    if _is_deep(text):
        return Unknown(f"{name} is nested too deeply")
    try:
        return _PARSERS[kind](text)
    except ImportError:
        return Unknown(f"{name} is not read: PyYAML is not installed")
    except RecursionError:
        return Unknown(f"{name} is nested too deeply")
    except Exception as error:  # whatever a parser says about what is malformed
        reason = " ".join(str(error).split())
        return Unknown(f"{name} is not valid {kind}: {reason[:1].lower()}{reason[1:100]}")


_BRACKET = r"[\[\]{}]"
_ROW = rf"(?<![-?] )(?:[-?][ \t]+){{{DEEPEST}}}|(?<![\w.-])(?:[\w-]+[ \t]*\.[ \t]*){{{DEEPEST}}}"


def _is_deep(text: str) -> bool:
    """Whether parsers, which are recursive, might take seconds: brackets are counted wherever they stand."""
    depth = 0
    for bracket in re.finditer(_BRACKET, text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > DEEPEST:
            return True
    return re.search(_ROW, text) is not None


def _whole(text: str) -> Any:
    return int(text) if len(text) <= LONGEST_NUMBER else Unknown("a huge number")


def _json(text: str) -> Any:
    import json

    return json.loads(text, parse_int=_whole)


def _toml(text: str) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _python(text: str) -> Any:
    """Literals only; nothing is run."""
    import ast

    return ast.literal_eval(text)


def _ini(text: str, *, raw: bool = False) -> dict[str, dict[str, str]]:
    import configparser

    parser = configparser.RawConfigParser() if raw else configparser.ConfigParser()
    parser.read_string(text)
    return {"DEFAULT": dict(parser.defaults())} | {name: dict(parser[name]) for name in parser.sections()}


def _yaml(text: str, *, exponents: bool = False) -> Any:
    from cudnnlint.facts.yaml_files import load

    return load(text, exponents=exponents)


_PARSERS: dict[str, Callable[[str], Any]] = {"JSON": _json, "TOML": _toml, "YAML": _yaml, "INI": _ini,
                                           "YAML 1.2": partial(_yaml, exponents=True),
                                           "RAW INI": partial(_ini, raw=True), "Python": _python}
