"""Handlers of calls and attributes, run so that a bug of ours in one costs what that would have told."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.attributes import get_attribute
from cudnnlint.interp.heap import Raised
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.registry import CALLS, Call
from cudnnlint.values import Unknown

NUMBERS = ("random.", "numpy.random.", "time.", "math.")
"""Where handlers tell a Python number from a tensor themselves."""


def guarded(m: Machine, path: str, c: Call) -> Any:
    """Run a handler; a crash in it is reported and its result unknown."""
    try:
        value = CALLS[path](c)
        number = isinstance(value, Unknown) and value.number and not path.startswith(NUMBERS)
        return Unknown(value.why) if number else value
    except (Raised, OutOfBounds, RecursionError, MemoryError):
        raise
    except Exception as error:
        return m.crash(path, error, c.span)


def guarded_attribute(m: Machine, base: Any, node: ast.Attribute) -> Any:
    """The attribute of a value; a crash on the way to it is reported, and it is unknown."""
    try:
        return get_attribute(m, base, node.attr, node)
    except (Raised, OutOfBounds, RecursionError, MemoryError):
        raise
    except Exception as error:
        return m.crash(f"attribute {node.attr}", error, m.span(node))
