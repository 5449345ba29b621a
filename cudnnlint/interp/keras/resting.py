"""What the shapes that a layer gives rest on: not the defaults of arguments on which none hangs."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.convert import strip
from cudnnlint.interp.registry import Call
from cudnnlint.values.assumption import Assumptions

IDLE = frozenset({"bias_initializer", "epsilon", "kernel_initializer", "momentum", "name", "negative_slope", "rate",
                  "seed"})
"""Arguments of layers on which neither a shape nor a dtype hangs."""


def shaping(c: Call, path: str) -> Assumptions:
    """Of a call that makes a layer. A Dropout's first argument is its rate."""
    found: set[Any] = set()
    for value in c.args[1:] if "Dropout" in path else c.args:
        strip(value, found)
    for name, value in c.kwargs.items():
        if name not in IDLE:
            strip(value, found)
    return frozenset(found) | c.machine.frame.control
