"""Handlers of calls, run so that a bug of ours in one costs what it would have told, and nothing else."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.heap import Raised
from cudnnlint.interp.limits import OutOfBounds
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.registry import CALLS, Call
from cudnnlint.values import Unknown

NUMBERS = ("random.", "numpy.random.", "time.", "math.", "torch.Tensor.")
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
