"""A number for each axis: torch.nn.modules.utils and timm.layers.helpers."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK, TUPLES
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import assume, assumptions_of, plain
from cudnnlint.interp.objects import BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

COUNTS = {"_single": 1, "_pair": 2, "_triple": 3, "_quadruple": 4}
"""Of torch/nn/modules/utils.py."""


def spread(c: Call, count: int) -> Any:
    """`to_2tuple(7)` is (7, 7), and what can be gone through stays as it is, as a tuple."""
    given = c.args[0] if c.args else c.kwargs.get("x", Unknown("what is spread"))
    value = plain(given)
    if isinstance(value, int | float | str) or value is None:
        return assume((value,) * count, assumptions_of(given))
    found = elements(c.machine, given)
    return found if isinstance(found, Unknown) else assume(tuple(found), assumptions_of(given))


def _register() -> None:
    for number, name in enumerate(TUPLES[:4], 1):
        FRAMEWORK.on(f"timm.layers.{name}")(_spreading(number))
    for name, number in COUNTS.items():
        FRAMEWORK.on(f"torch.nn.utils.{name}")(_spreading(number))


def _spreading(count: int) -> Any:
    def to_tuple(c: Call) -> Any:
        return spread(c, count)

    return to_tuple


@FRAMEWORK.on("timm.layers.to_ntuple", "torch.nn.utils._ntuple")
def for_so_many(c: Call) -> Any:
    """`to_ntuple(2)`, a function."""
    count = plain(c.get(0, "n", None))
    return BuiltinV("parse", lambda called: spread(called, count)) if isinstance(count, int) and 0 < count < 9 \
        else Unknown("a function that spreads")


_register()
