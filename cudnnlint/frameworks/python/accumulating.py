"""itertools.accumulate: where the parts of a split end."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.objects import GeneratorV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown


@FRAMEWORK.on("itertools.accumulate")
def sums(c: Call) -> Any:
    """Of known numbers, by addition; what another function makes of them is not followed."""
    found = elements(c.machine, c.get(0, "iterable"))
    if isinstance(found, Unknown) or c.get(1, "func") is not None or "initial" in c.kwargs:
        return found if isinstance(found, Unknown) else Unknown("accumulate() with a function")
    numbers = [plain(item) for item in found]
    if not all(isinstance(number, int | float) for number in numbers):
        return Unknown("accumulate() of what is not known")
    taken = frozenset[Any]().union(*map(assumptions_of, found))
    return GeneratorV(ListV([assume(total, taken) for total in accumulate(numbers)]), complete=True)
