"""Finds what is there: rules and frameworks by their indexes."""

from __future__ import annotations

import functools
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
    """Fill the registries that the interpreter looks things up in; handlers and ops come as they are asked for."""
    from cudnnlint.frameworks import listing as frameworks

    frameworks.load()


def problems() -> tuple[str, ...]:
    """One line for each rule, op or framework module that did not load, of those that were needed so far."""
    from cudnnlint.interp import registry as handlers

    return (*listing.broken, *handlers.broken, *table.broken)
