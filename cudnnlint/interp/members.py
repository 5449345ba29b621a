"""Members of enums that are numbers or texts besides: `class Mode(str, Enum)`, `class Level(IntEnum)`."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.objects import ClassV, InstanceV
from cudnnlint.values import Assumed, Unknown

MIXED = frozenset({"enum.IntEnum", "enum.IntFlag", "enum.StrEnum"})
MIXINS = frozenset({"int", "str", "float"})


def as_number(value: Any) -> Any:
    """What such a member equals: its value; anything else as it is."""
    if type(value) is not InstanceV or value.cls.members is None:
        return value
    bases = [base for cls in value.cls.mro if isinstance(cls, ClassV) for base in cls.bases]
    if not any(getattr(base, "path", "") in MIXED or getattr(base, "name", "") in MIXINS for base in bases):
        return value
    found = value.items.get("value", Unknown("value of a member"))
    return found.value if isinstance(found, Assumed) else found
