"""Work that makes many objects and no cycles, without a search for cycles among all that the interpreter holds."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


def unswept(work: Callable[[Given], Made]) -> Callable[[Given], Made]:
    """A third of the time of an estimate of a thousand layers went into that."""

    @wraps(work)
    def done(given: Given) -> Made:
        if not gc.isenabled():
            return work(given)
        gc.disable()
        try:
            return work(given)
        finally:
            gc.enable()

    return done
