"""Claims about how a program sets up the memory of its GPUs, before TensorFlow takes them or after."""

from __future__ import annotations

from typing import Any

from cudnnlint.events.devices import DeviceConfigured, GrowthUneven

ACTS = {"memory_growth": "growth", "logical_devices": "limit", "visible_devices": "hide"}


def configured(event: DeviceConfigured, rule: str) -> tuple[str, dict[str, Any]]:
    """What was done before, and what is then refused."""
    before = ["limit"] if event.limited is not None else ["use"] if event.started is not None else []
    return "devices", {"acts": [*before, ACTS[event.what]], "gpus": 1}


def uneven(event: GrowthUneven, rule: str) -> tuple[str, dict[str, Any]]:
    return "devices", {"acts": ["growth of one", "use"], "gpus": 2}
