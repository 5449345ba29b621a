"""`--show-files` and `--show-settings`: what would be linted, and by which settings, instead of linting."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.settings.files import find_files


def shown_files(paths: Sequence[str], settings: Settings) -> str:
    """One a line, in the order of a run; requirements files last, as they are checked."""
    requirements: list[str] = []
    files = find_files(paths, settings, requirements=requirements)
    return "".join(f"{path}\n" for path in (*files, *requirements))


def shown_settings(settings: Settings) -> str:
    """As a configuration file says them, with where they come from; what is not set has no line."""
    lines = [f"# {settings.file or 'no configuration file: the defaults'}"]
    tables: list[str] = []
    for field in fields(Settings):
        value = getattr(settings, field.name)
        if not field.metadata.get("key", True) or value in (None, "", {}):
            continue
        name = field.name.replace("_", "-")
        if isinstance(value, Mapping):
            tables += ["", f"[{name}]", *(f"{_written(key)} = {_written(inner)}" for key, inner in value.items())]
        else:
            lines.append(f"{name} = {_written(value)}")
    for rule, options in settings.rules.items():
        given = {field.name: getattr(options, field.name) for field in fields(options)}
        told = [f"{name.replace('_', '-')} = {_written(value)}" for name, value in given.items()
                if value not in (None, "")]
        tables += ["", f"[rules.{rule}]", *told]
    return "\n".join([*lines, *tables]) + "\n"


def _written(value: Any) -> str:
    """
    >>> _written(("a", "b")), _written(True)
    ('["a", "b"]', 'true')
    """
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
