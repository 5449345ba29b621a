"""What choosing among rules takes, for each rule, so that its module is imported when its first event happens."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cudnnlint.rules.protocol import Rule

INDEX = Path(__file__).with_name("index.txt")
"""A line a rule: its code, its module below cudnnlint.rules, "on" or "off", the names of the events that it is told
of. Generated with the documentation."""

broken: list[str] = []
"""One line for each module that did not load."""


class Listed(NamedTuple):
    """A rule as the index has it; `events` are the names of the classes that it subscribes to."""

    code: str
    name: str
    default: bool
    events: frozenset[str]
    module: str

    @classmethod
    def of(cls, rule: Rule) -> Listed:
        return cls(rule.code, rule.name, rule.default, frozenset(event.__name__ for event in rule.events),
                   rule.check.__module__.removeprefix("cudnnlint.rules."))

    @classmethod
    def read(cls, line: str) -> Listed:
        code, module, default, *events = line.split()
        return cls(code, module.rpartition(".")[2].replace("_", "-"), default == "on", frozenset(events), module)

    def line(self) -> str:
        return " ".join((self.code, self.module, "on" if self.default else "off", *sorted(self.events))) + "\n"

    def rule(self) -> Rule | None:
        """The rule itself; None if its module does not load."""
        rules = _loaded()
        if self.name not in rules:
            bring(self.module)
        return rules.get(self.name)


@cache
def _loaded() -> Mapping[str, Rule]:
    """Those that are loaded; choosing rules needs none of them."""
    from cudnnlint.rules.protocol import RULES

    return RULES


@cache
def listed() -> Mapping[str, Listed]:
    """All rules by name, in the order of their codes; modules that the index does not name yet are imported for it."""
    rows = [Listed.read(line) for line in INDEX.read_text(encoding="utf-8").splitlines()]
    if added := set(_modules()) - {row.module for row in rows}:
        for module in sorted(added):
            bring(module)
        rows += [row for rule in _loaded().values() if (row := Listed.of(rule)).module in added]
    return {row.name: row for row in sorted(rows)}


@cache
def bring(module: str) -> None:
    """Import a module of this package; one that does not load takes nothing else with it."""
    try:
        importlib.import_module(f"cudnnlint.rules.{module}")
    except Exception as error:
        broken.append(f"cudnnlint.rules.{module} does not load: {type(error).__name__}: {error}".replace("\n", " "))


def _modules() -> Iterator[str]:
    """The modules that are there: `shapes.empty_feature_map`."""
    folder = os.path.dirname(__file__)
    for group in os.listdir(folder):
        if "." not in group and group != "__pycache__":
            yield from (f"{group}.{name.removesuffix('.py')}" for name in os.listdir(os.path.join(folder, group))
                        if name.endswith(".py") and name != "__init__.py")


def index() -> str:
    """What the index should hold: read off the rules. ImportError if one of them does not load."""
    rules = [row.rule() for row in listed().values()]
    if broken:
        raise ImportError("\n".join(broken))
    return "".join(Listed.of(rule).line() for rule in rules if rule is not None)
