"""Configuration values checked against type annotations: what a dataclass declares is what a user may write."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from cudnnlint.engine.errors import ConfigError, nearest

T = TypeVar("T")


def build(cls: type[T], table: Mapping[str, Any], where: str) -> T:
    """An instance of a frozen dataclass from a TOML table; `where` starts every message ("pyproject.toml: a.b")."""
    found = values(cls, table, where)
    try:
        return cls(**found)
    except ValueError as error:  # what a dataclass of options has against a value
        raise ConfigError(f"{where.rstrip('.')}: {error}") from None


def values(cls: type, table: Mapping[str, Any], where: str, extra: tuple[str, ...] = ()) -> dict[str, Any]:
    """Checked values by field name. Keys are kebab-case or snake_case; those named in `extra` are left out."""
    hints = get_type_hints(cls)
    names = [field.name for field in fields(cls) if field.metadata.get("key", True)]
    result: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name in extra:
            continue
        if name not in names:
            if key == "tool" and "tool." not in where:
                raise ConfigError(f"{where}tool: only pyproject.toml has [tool.cudnnlint], here keys stand at the top")
            known = sorted(known.replace("_", "-") for known in [*names, *extra])
            raise ConfigError(f"{where}{key}: unknown key{nearest(key.replace('_', '-'), known)}")
        result[name] = convert(value, hints[name], f"{where}{key}")
    return result


def convert(value: Any, hint: Any, where: str) -> Any:
    """`value` as `hint` wants it (lists become tuples); ConfigError if it cannot be."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _one_of(value, [arm for arm in get_args(hint) if arm is not type(None)], where, hint)
    if origin is Literal:
        if value in get_args(hint):
            return value
    elif origin is tuple:
        if isinstance(value, list):
            return tuple(convert(item, get_args(hint)[0], where) for item in value)
    elif origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        if isinstance(value, dict):
            return {key: convert(item, get_args(hint)[1], f"{where}.{key}") for key, item in value.items()}
    elif _is(value, hint):
        return float(value) if hint is float else value
    raise ConfigError(f"{where}: expected {describe(hint)}, got {shown(value)}")


def _one_of(value: Any, arms: list[Any], where: str, hint: Any) -> Any:
    for arm in arms:
        try:
            return convert(value, arm, where)
        except ConfigError:
            continue
    raise ConfigError(f"{where}: expected {describe(hint)}, got {shown(value)}")


def _is(value: Any, hint: Any) -> bool:
    if isinstance(value, bool):  # a bool is an int to Python, not to a user
        return hint is bool
    return isinstance(value, (int, float) if hint is float else hint)


_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}


def describe(hint: Any) -> str:
    """
    >>> describe(tuple[str, ...])
    'a list of strings'
    """
    origin, arms = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(describe(arm) for arm in arms if arm is not type(None))
    if origin is Literal:
        return "one of " + ", ".join(shown(arm) for arm in arms)
    if origin is tuple:
        return "a list of " + describe(arms[0]).removeprefix("a ") + "s"
    if origin is not None:
        return "a table"
    return _WORDS.get(hint, getattr(hint, "__name__", str(hint)))


def shown(value: Any) -> str:
    """A TOML value as its user wrote it, cut to one short line."""
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    text = text.replace("'", '"').replace("\n", " ")
    return text if len(text) <= 40 else text[:37] + "..."
