"""Texts that a function or class does not take in a place where it takes one of a few."""

from __future__ import annotations

import ast
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from cudnnlint.facts.choices import CHOICES, Choice
from cudnnlint.interp.machine import plain
from cudnnlint.interp.mistakes.ranges import RANGED, tell_of_ranges
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.values import Mismatch, Problem

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine


CHOOSING = RANGED | {path for path, _ in CHOICES}
"""Callables whose texts or numbers are looked at."""


@cache
def _choices(path: str) -> tuple[tuple[str, Choice], ...]:
    return tuple((argument, choice) for (owner, argument), choice in CHOICES.items() if owner == path)


def tell_of_choices(m: Machine, node: ast.AST, path: str, what: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    """`image_dataset_from_directory(folder, label_mode="sparse")`"""
    if path in RANGED:
        tell_of_ranges(m, node, path, what, args, kwargs)
    for argument, choice in _choices(path):
        given = plain(args[choice.position] if choice.position < len(args) else kwargs.get(argument))
        if isinstance(given, str) and not choice.takes(given) and is_meant(m):
            close = get_close_matches(given, choice.texts, n=1)
            refuse(m, m.span(node), Mismatch(
                Problem.INVALID_ARGUMENT, f'{argument} is "{given}"', argument=argument,
                help=f'"{close[0]}"' if close else f"one of {', '.join(choice.texts)}",
                error=choice.error.replace("{}", given)), what=what, stage="called")
