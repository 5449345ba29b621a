"""Finds, reads and validates configuration files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cudnnlint.engine.errors import ConfigError
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.typed import build, values

NAMES = (".cudnnlint.toml", "cudnnlint.toml", "pyproject.toml")
"""In the order in which one directory is searched."""
_VERSION = r"\d+(\.\d+)*"
_OUR_TABLE = rb"(?m)^\s*\[?\s*tool\s*\.\s*[\"']?cudnnlint\b"
_SELECTORS = ("select", "ignore", "extend-select", "extend-ignore")


def find_file(start: Path) -> Path | None:
    """The nearest configuration from a file or directory upward; a pyproject.toml counts if it speaks of us."""
    start = start.absolute()
    return next(filter(None, map(file_in, (start, *start.parents))), None)


def file_in(directory: Path) -> Path | None:
    """The configuration that lies in a directory itself."""
    files = (directory / name for name in NAMES if os.path.isfile(directory / name))
    return next((file for file in files if file.name != NAMES[-1] or _speaks_of_us(file)), None)


def read_file(file: Path) -> Settings:
    """The settings in `file`; ConfigError names the file and the key, or the line of a TOML error."""
    shown = _shown(file)
    in_pyproject = file.name == "pyproject.toml"
    table = _ours(_toml(file, shown), shown) if in_pyproject else _toml(file, shown)
    where = f"{shown}: {'tool.cudnnlint.' if in_pyproject else ''}"
    given = values(Settings, table, where, extra=("rules",))
    settings = replace(Settings(**given), root=file.absolute().parent, file=file)
    validate(settings, {name.replace("_", "-") for name in given}, where)
    return replace(settings, rules=_options(table.get("rules", {}), f"{where}rules"))


def validate(settings: Settings, keys: Collection[str], where: str) -> None:
    """ConfigError if a version or a selector among `keys` makes no sense."""
    for key in ("keras", "tensorflow", "cudnn", "torch"):
        text = getattr(settings, key)
        if key in keys and not re.fullmatch(_VERSION, text):
            raise ConfigError(f'{where}{key}: expected a version such as "2.16", got "{text}"')
    if "gpu" in keys and settings.gpu:
        _check_gpu(settings.gpu, f"{where}gpu")
    for key in _SELECTORS:
        if key in keys:
            _check_selectors(getattr(settings, key.replace("-", "_")) or (), f"{where}{key}")
    if "per-file-ignores" in keys:
        for pattern, selectors in settings.per_file_ignores.items():
            _check_selectors(selectors, f'{where}per-file-ignores."{pattern}"')


def _check_gpu(text: str, where: str) -> None:
    from cudnnlint.memory.gpus import find, unknown

    if find(text) is None:
        raise ConfigError(f"{where}: {unknown(text)}")


def _check_selectors(selectors: Iterable[str], where: str) -> None:
    from cudnnlint.engine.registry import listed
    from cudnnlint.engine.settings.select import unknown

    for selector in selectors:
        if (tip := unknown(selector, listed().values())) is not None:
            raise ConfigError(f'{where}: unknown rule "{selector}"{tip}')


def _options(table: Any, where: str) -> dict[str, Any]:
    """Options instances by rule name, for `[rules.<name>]` tables."""
    if not isinstance(table, dict) or not all(isinstance(inner, dict) for inner in table.values()):
        raise ConfigError(f"{where}: expected a table for each rule")
    return {name: build(_options_class(name, f"{where}.{name}"), inner, f"{where}.{name}.")
            for name, inner in table.items()}


def _options_class(name: str, where: str) -> type:
    """What the rule takes, which alone is loaded for it."""
    from cudnnlint.engine.errors import nearest
    from cudnnlint.engine.registry import listed, rules

    row = listed().get(name)
    if row is None:
        known = sorted(name for name, rule in rules().items() if rule.options is not None)
        raise ConfigError(f"{where}: unknown rule{nearest(name, known)}")
    rule = row.rule()
    if rule is None or rule.options is None:
        raise ConfigError(f"{where}: has no options")
    return rule.options


def _toml(file: Path, shown: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{shown}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, RecursionError) as error:  # TOMLDecodeError says at which line and column
        reason = str(error).splitlines()[0] if str(error) else "nested too deeply"
        raise ConfigError(f"{shown}: not valid TOML: {reason[:1].lower()}{reason[1:]}") from None


def _ours(document: Mapping[str, Any], shown: str) -> dict[str, Any]:
    tool = document.get("tool", {})
    table = tool.get("cudnnlint", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{shown}: tool.cudnnlint: expected a table")
    return table


def _speaks_of_us(pyproject: Path) -> bool:
    """Whether it has our table; bytes decide most of them, so that others' broken files never stop a run."""
    try:
        data = pyproject.read_bytes()
    except OSError:
        return False
    if b"cudnnlint" not in data:
        return False
    if re.search(_OUR_TABLE, data) is not None:
        return True
    try:
        tool = _toml(pyproject, pyproject.name).get("tool", {})
    except ConfigError:
        return False
    return isinstance(tool, dict) and "cudnnlint" in tool  # [tool] with cudnnlint = {...} in it


def _shown(file: Path) -> str:
    """Relative to the working directory where it lies under it."""
    try:
        return str(file.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(file)
