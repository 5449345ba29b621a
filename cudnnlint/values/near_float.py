"""Floats that are known but for their last bits."""

from __future__ import annotations

from cudnnlint.records import record
from cudnnlint.values.unknown import Unknown


@record(frozen=True, slots=True)
class Near(Unknown):
    """A float between `low` and `high`: libraries round logarithms and powers each in its own way. Whoever does not ask
    for the bounds takes it for any Unknown."""

    low: float = 0.0
    high: float = 0.0
