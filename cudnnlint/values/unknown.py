"""Not knowing, with its reason: the value that absorbs and never becomes a finding."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any value at all. `why` reads after "unknown: ", e.g. "parameter width".

    number  it is certainly a Python number, whichever
    loop    the loop under way in whose turns it is always another one
    """

    why: str = field(default="", compare=False)
    number: bool = field(default=False, compare=False, repr=False)
    loop: object = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return "?"


@dataclass(frozen=True, slots=True)
class WordCount(Unknown):
    """How many words a Tokenizer met, whose indices run from 1 to that number; arithmetic on it gives any Unknown."""


@dataclass(frozen=True, slots=True)
class RowIndex(Unknown):
    """The index of each of `rows` rows in turn: what one of them gives is met for all; arithmetic gives any Unknown."""

    rows: object = field(default=None, compare=False, repr=False)
