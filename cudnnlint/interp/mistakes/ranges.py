"""Numbers that a function or class does not take, and arguments that it does not take together."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Any

from cudnnlint.facts.ranges import EXCLUSIVE, PIECES, RANGES, Range
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import assumptions_of, plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.values import Mismatch, Problem
from cudnnlint.values.assumption import NONE, Assumptions

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

RANGED = frozenset({PIECES, *EXCLUSIVE, *(path for path, _ in RANGES)})
"""Callables that are looked at."""


@cache
def _ranges(path: str) -> tuple[tuple[str, Range], ...]:
    return tuple((argument, one) for (owner, argument), one in RANGES.items() if owner == path)


def tell_of_ranges(m: Machine, node: ast.AST, path: str, what: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    """`RandomRotation(20)`, `Adam(clipnorm=1.0, clipvalue=0.5)`"""
    if not is_meant(m):
        return
    for argument, allowed in _ranges(path):
        given = args[allowed.position] if allowed.position < len(args) else kwargs.get(argument)
        if wrong := _misfit(argument, allowed, _numbers(given)):
            _refuse(m, node, what, assumptions_of(given), wrong)
    for pair in EXCLUSIVE.get(path, ()):
        both = [kwargs.get(pair.one), kwargs.get(pair.other)]
        if all(_is_given(value) for value in both):
            _refuse(m, node, what, assumptions_of(both[0]) | assumptions_of(both[1]), Mismatch(
                Problem.INVALID_ARGUMENT, f"{pair.one} and {pair.other} are both given", argument=pair.other,
                help=f"leave out one of them, {pair.one} or {pair.other}", where=pair.where, error=pair.error))
            break
    if path == PIECES:
        _tell_of_pieces(m, node, what, args, kwargs)


def _misfit(argument: str, allowed: Range, numbers: list[float]) -> Mismatch | None:
    outside = next((number for number in numbers if not allowed.takes(number)), None)
    if outside is not None:
        return Mismatch(Problem.INVALID_ARGUMENT, f"{argument} is {outside}, and must be {allowed.said}",
                        argument=argument, help=allowed.help, where=allowed.where, error=allowed.error)
    whole = next((number for number in numbers if isinstance(number, int)), None)
    if whole is not None and allowed.real is not None:
        return Mismatch(Problem.INVALID_ARGUMENT, f"{argument} is the int {whole}, and must be a float",
                        argument=argument, help=f"{float(whole)}", where=allowed.real, error=allowed.error)
    return None


def _numbers(given: Any) -> list[float]:
    """A number, or those of a list that is known."""
    held = plain(given)
    items = held.items if type(held) is ListV and not held.unknown else held if isinstance(held, tuple) else [held]
    numbers = [plain(item) for item in items]
    return [number for number in numbers if isinstance(number, int | float) and not isinstance(number, bool)]


def _is_given(value: Any) -> bool:
    held = plain(value)
    return isinstance(held, int | float | tuple) or (type(held) is ListV and not held.unknown)


def _tell_of_pieces(m: Machine, node: ast.AST, what: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    sizes = []
    for place, name in enumerate(("boundaries", "values")):
        held = plain(args[place] if place < len(args) else kwargs.get(name))
        if isinstance(held, tuple):
            sizes.append(len(held))
        elif type(held) is ListV and not held.unknown:
            sizes.append(len(held.items))
    if len(sizes) == 2 and sizes[1] != sizes[0] + 1:
        _refuse(m, node, what, NONE, Mismatch(
            Problem.INVALID_ARGUMENT, f"{sizes[0]} boundaries and {sizes[1]} values", argument="values",
            help=f"one value more than boundaries: {sizes[0] + 1}",
            error='ValueError "The length of boundaries should be 1 less than the length of values"'))


def _refuse(m: Machine, node: ast.AST, what: str, rests: Assumptions, wrong: Mismatch) -> None:
    refuse(m, m.span(node), wrong, assumptions=rests, what=what, stage="called")
