"""Records that are made by the hundred thousand: frozen to the type checker, as cheap to make as any object."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["record"]

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:
    from dataclasses import dataclass

    def record(**options):
        """`@record(frozen=True, ...)` is `@dataclass(frozen=True, ...)` whose frozenness only the type checker sees.

        The __init__ of a frozen dataclass sets each field by object.__setattr__, at ten times the cost of an
        assignment (dataclasses.py: _field_assign). Equality and hash are those of a frozen one.
        """
        def decorated(cls):
            hashed = options.get("eq", True) and "__hash__" not in cls.__dict__
            return dataclass(**{**options, "frozen": False, "unsafe_hash": hashed})(cls)

        return decorated
