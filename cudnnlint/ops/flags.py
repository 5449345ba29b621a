"""Truth of a user's argument, when it is known."""

from __future__ import annotations

from typing import Any

PLAIN = (bool, int, float, str, list, tuple, dict)


def flag(value: Any) -> bool | None:
    """What `if value:` does; None when the value is not known.

    >>> flag(True), flag(None), flag(0), flag(object())
    (True, False, False, None)
    """
    return bool(value) if value is None or isinstance(value, PLAIN) else None
