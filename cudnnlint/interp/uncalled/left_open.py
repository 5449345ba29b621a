"""Defaults that stand for a value which whoever calls the function gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cudnnlint.interp.heap import ListV
from cudnnlint.values import Assumed, Unknown
from cudnnlint.values.assumption import Assumption

NOTHING_MORE = "nothing more is given to "
"""How the assumption begins that a function which nothing calls is given no further arguments by name."""
FOR_EMPTY = "what is given in place of an empty list"
"""Why it is not known what a parameter holds whose default is `[]`."""
_NOTHING = re.compile(r" = (?:['\"]?0*\.?0*['\"]?|None|False|\[\]|\(\)|\{\}) \(default of ")


def is_left_open(value: Any) -> bool:
    """Whether it is None, nothing or empty by default, or a default below zero itself, where neither would do.

    A command line's default that is not None counts: without options, that is what runs. So does what is computed of a
    default that is something, `int(8 * 0.0625)`.
    """
    if not isinstance(value, Assumed) or isinstance(value.value, bool | Unknown):
        return False
    held = value.value
    if isinstance(held, int | float) and held < 0:
        return any(f" = {held!r} (default of " in taken.text and _of_callers(taken) for taken in value.assumptions)
    if held is None and any(taken.text.startswith(NOTHING_MORE) for taken in value.assumptions):
        return True  # kwargs.pop(name, None)
    return not held and any(_of_callers(taken) and (taken.is_none or _NOTHING.search(taken.text) is not None)
                            for taken in value.assumptions)


def has_left_open(value: Any) -> bool:
    """The same of one among the extents of a shape."""
    return any(map(is_left_open, extents_in(value)))


def extents_in(value: Any) -> Sequence[Any]:
    """Those of a shape, or the one that it is."""
    return value if isinstance(value, tuple) else value.items if isinstance(value, ListV) else (value,)


def _of_callers(assumption: Assumption) -> bool:
    return assumption.is_none or ("(default of " in assumption.text and "(default of -" not in assumption.text)
