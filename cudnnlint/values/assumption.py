"""What a result rests on besides the program text: defaults that a run may override."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Assumption:
    """One default taken for granted, e.g. `batch_size = 64 (default of --batch-size, line 9)`."""

    text: str


Assumptions = frozenset[Assumption]
NONE: Assumptions = frozenset()


@dataclass(frozen=True, slots=True)
class Assumed:
    """A plain Python value that holds only under `assumptions`; never nested."""

    value: object
    assumptions: Assumptions
