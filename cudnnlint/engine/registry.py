"""Finds what is there: rules by their index, frameworks by importing every module of their package, once."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from typing import TYPE_CHECKING

from cudnnlint.engine.errors import UsageError, nearest
from cudnnlint.ops import table
from cudnnlint.rules import listing
from cudnnlint.rules.listing import Listed

if TYPE_CHECKING:
    from cudnnlint.rules.protocol import Rule


def listed() -> Mapping[str, Listed]:
    """All rules by name, in the order of their codes, without loading them: enough to choose among them."""
    return listing.listed()


@functools.cache
def rules() -> Mapping[str, Rule]:
    """The same, loaded."""
    return {name: rule for name, row in listed().items() if (rule := row.rule()) is not None}


def find_rule(name_or_code: str) -> Rule:
    """By name or by code; UsageError, with a tip, if there is none."""
    for row in listed().values():
        if name_or_code.lower() == row.name or name_or_code.upper() == row.code:
            if (rule := row.rule()) is None:
                raise UsageError(f'the rule "{row.name}" does not load')
            return rule
    known = [*listed(), *(row.code for row in listed().values())]
    raise UsageError(f'unknown rule "{name_or_code}"{nearest(name_or_code, known)}')


def load() -> None:
    """Fill the registries that the interpreter looks things up in; ops come as they are asked for."""
    _loaded("cudnnlint.frameworks")


@functools.cache
def _loaded(package: str) -> tuple[str, ...]:
    """Import every module of a package, subpackages included; what went wrong, one line a broken module.

    A module that does not load takes nothing else with it. One whose name begins with _ waits until it is asked for.
    """
    broken: list[str] = []
    _load(package, broken)
    _broken.extend(broken)
    return tuple(broken)


_broken: list[str] = []


def problems() -> tuple[str, ...]:
    """One line for each rule, op or framework module that did not load, of those that were needed so far."""
    return (*listing.broken, *_broken, *table.broken)


def _load(name: str, broken: list[str]) -> None:
    try:
        module = importlib.import_module(name)
    except Exception as error:
        broken.append(f"{name} does not load: {type(error).__name__}: {error}".replace("\n", " "))
        return
    for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not found.name.startswith("_"):
            _load(f"{name}.{found.name}", broken)
