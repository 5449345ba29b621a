"""Not knowing, with its reason: the value that absorbs and never becomes a finding."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any value at all. `why` reads after "unknown: ", e.g. "parameter width"."""

    why: str = field(default="", compare=False)

    def __str__(self) -> str:
        return "?"
