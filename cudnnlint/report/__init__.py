"""Output formats, one a module: the module's name is the value of `--output-format`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from cudnnlint.report.model import Report

NOT_FORMATS = frozenset({"memory", "model", "shapes"})
DOCUMENTS = frozenset({"gitlab", "json", "junit", "sarif"})
"""Formats for programs, always whole and never coloured; every other one is lines to read."""


class Render(Protocol):
    def __call__(self, report: Report, *, color: bool = False, quiet: bool = False) -> str: ...


def formats() -> list[str]:
    """The names of all formats, by looking at which modules are there."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name for name in names if not name.startswith("_") and name not in NOT_FORMATS)


def renderer(name: str) -> Render:
    """The `render` of a format."""
    return cast("Render", importlib.import_module(f"cudnnlint.report.{name}").render)


def statistics(report: Report) -> str:
    """One line a rule: count, code, name; the most frequent first."""
    from cudnnlint.report._summary import statistics

    return statistics(report)
