"""Shapes of inputs as the command line takes them."""

from __future__ import annotations

import re
from typing import Any

import click

OPEN = frozenset({"none", "?", "*"})


class Extents(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.3
    """`224x224x3`: the extents of one input, without the batch; `None` for one that stays open."""

    name = "extents"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in re.split("[xX,\u00d7]", value.strip("()[] "))]
        if not all(part.lower() in OPEN or (part.isascii() and part.isdigit() and int(part) > 0) for part in parts):
            self.fail(f'"{value}" is not like 224x224x3 (extents without the batch, None for an open one)', param, ctx)
        return tuple(None if part.lower() in OPEN else int(part) for part in parts)
