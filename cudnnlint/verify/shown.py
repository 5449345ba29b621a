"""What a run showed against what was to be shown: effects that raise nothing, and memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.memory.amounts import amount

CONFIRMED, REFUTED, INCONCLUSIVE = "confirmed", "refuted", "inconclusive"
ZERO = 1e-6
LARGEST = 1e20


def shown(expected: Mapping[str, Any], measured: Mapping[str, Any]) -> tuple[str, str]:
    """Verdict and note for effects: each must have been measured as it was told.

    >>> shown({"steps": 0}, {"steps": 0}), shown({"finite": False}, {"finite": True})
    (('confirmed', 'it ran 0 steps'), ('refuted', 'all numbers are finite'))
    """
    if expected.keys() - measured.keys():
        return INCONCLUSIVE, "the worker did not measure it"
    note = ", ".join(TEXTS[name](measured[name], value) for name, value in expected.items())
    as_told = all(AS_TOLD[name](measured[name], value) for name, value in expected.items())
    return (CONFIRMED if as_told else REFUTED), note


AS_TOLD: Mapping[str, Callable[[Any, Any], bool]] = {
    "steps": lambda found, told: bool(found == told), "shape": lambda found, told: list(found) == list(told),
    "finite": lambda found, told: found is told, "largest": lambda found, told: abs(found - told) <= ZERO,
    "weights": lambda found, told: list(found) == list(told), "traces": lambda found, told: found >= told,
    "jump": lambda found, told: found >= told, "growth": lambda found, told: found >= told,
    "operations": lambda found, told: found >= told,
    "warning": lambda found, told: any(str(told).lower() in str(text).lower() for text in found)}
TEXTS: Mapping[str, Callable[[Any, Any], str]] = {
    "steps": lambda found, told: f"it ran {found} step{'s' * (found != 1)}",
    "shape": lambda found, told: f"the output is {list(found)}",
    "finite": lambda found, told: "all numbers are finite" if found else "NaN or infinity",
    "largest": lambda found, told: f"the largest output is {found:g}",
    "weights": lambda found, told: f"weights of shape {list(found)}",
    "traces": lambda found, told: f"{found} traces",
    "jump": lambda found, told: "a step to infinity" if found > LARGEST else f"a step of {found:.0f} learning rates",
    "growth": lambda found, told: f"{amount(max(found, 0))} more for each",
    "operations": lambda found, told: f"{found} operation{'s' * (found != 1)} more for each turn",
    "warning": lambda found, told: f'it warns "{told}"' if AS_TOLD["warning"](found, told) else "it does not warn"}


def of_memory(told: Mapping[str, Any], measured: Mapping[str, Any]) -> tuple[str, str]:
    """Verdict and note for a peak: it counts against the memory of the GPU that the finding is about.

    >>> of_memory({"predicted": 21.4 * 2**30, "usable": 13.4 * 2**30, "gpu": "T4"}, {"peak": int(20.9 * 2**30)})
    ('confirmed', 'measured peak 20.9 GiB (prediction +2.4 %)')
    """
    peak = measured.get("peak")
    if not isinstance(peak, int) or peak <= 0:
        return INCONCLUSIVE, "the memory was not measured"
    off = told["predicted"] / peak - 1
    text = f"measured peak {amount(peak)} (prediction {off:+.1%})".replace("%)", " %)") if math.isfinite(off) else ""
    return (CONFIRMED, text) if peak > told["usable"] else (REFUTED, f"{text}: it fits on a {told['gpu']}")
