"""Batch sizes as the command line takes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import click

MOST = 2**31
COUNT = 100
_PART = re.compile(r"(\d{1,30})(?:\.\.(\d{1,30}))?")


class Batches(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.3
    """`64`, `8,16,24`, or `8..256` for the sizes between, each twice the one before."""

    name = "batches"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        found: set[int] = set()
        for part in value.split(","):
            match = _PART.fullmatch(part.strip())
            if match is None:
                self.fail(f'"{value}" is not a batch size, nor several like 8..256 or 8,16,24', param, ctx)
            first, last = int(match[1]), int(match[2] or match[1])
            if last < first:
                self.fail(f'"{part.strip()}" runs backwards: {last}..{first}', param, ctx)
            if not 1 <= first <= last <= MOST:
                self.fail(f'"{part.strip()}" is not between 1 and {MOST}', param, ctx)
            found.update(_between(first, last))
        if len(found) > COUNT:
            self.fail(f"{len(found)} batch sizes are more than {COUNT}", param, ctx)
        return tuple(sorted(found))


def _between(first: int, last: int) -> Iterator[int]:
    """Each twice the one before, and the last.

    >>> list(_between(8, 48)), list(_between(5, 5))
    ([8, 16, 32, 48], [5])
    """
    while first < last:
        yield first
        first *= 2
    yield last
