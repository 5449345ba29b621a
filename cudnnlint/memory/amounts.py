"""Bytes as people read them."""

from __future__ import annotations

UNITS = (("EiB", 1 << 60), ("PiB", 1 << 50), ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))

MOST = 1_000_000 << 60
"""Beyond this no digit says anything."""


def amount(size: float) -> str:
    """In the unit that reads best.

    >>> amount(20 << 30), amount(1536 << 20), amount(300 << 20), amount(20 << 10), amount(12), amount(3 << 50)
    ('20.0 GiB', '1.50 GiB', '300 MiB', '20.0 KiB', '12 B', '3.00 PiB')
    >>> amount(10**400)
    'more than 1,000,000 EiB'
    """
    if size > MOST:
        return "more than 1,000,000 EiB"
    for unit, least in UNITS:
        if size >= least:
            value = size / least
            return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"
    return f"{size:.0f} B"
