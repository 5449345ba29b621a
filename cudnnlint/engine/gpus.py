"""The GPU that memory is estimated for: the one that is asked for, that of this machine, of the settings, or a T4."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from cudnnlint.engine.errors import UsageError
from cudnnlint.memory.amounts import amount
from cudnnlint.memory.gpus import ASSUMED, CONTEXT, GIB, GPU, MIB, find, plain, reserve, unknown

AUTO = "auto"
DRIVER = "driver"
VISIBLE = "CUDA_VISIBLE_DEVICES"
FREE_NOTEBOOKS = "the GPU of free notebooks"


def gpu_for(asked: str | None, configured: str) -> GPU:
    """UsageError, with the nearest names, for one that is not known; None asks for none."""
    if asked is not None and asked.strip().lower() == AUTO:
        here, reason = _here()
        return here or _configured(configured, f"{reason}; ") or replace(
            ASSUMED, note=f"{reason} and no GPU in the settings: a T4, {FREE_NOTEBOOKS}")
    if asked is not None:
        return _known(asked)
    return _configured(configured, "") or replace(ASSUMED, note=f"a T4, {FREE_NOTEBOOKS} (--gpu names another)")


def _known(text: str) -> GPU:
    found = find(text)
    if found is None:
        raise UsageError(f"--gpu: {unknown(text)}")
    return found


def _configured(text: str, before: str) -> GPU | None:
    return replace(_known(text), note=f"{before}{text}, the GPU of the settings") if text else None


def _here() -> tuple[GPU | None, str]:
    """What this machine has, as its driver says, and why there is none."""
    from cudnnlint.engine.doctor.probe import gpus

    _, _, devices, reason = gpus()
    known = _visible([each for each in devices if each.get("memory")], os.environ.get(VISIBLE))
    if not known:
        return None, f"{VISIBLE} hides all GPUs" if any(each.get("memory") for each in devices) else \
            reason or "no GPU here"
    first = known[0]
    alike = [each for each in known if each["name"] == first["name"]]
    least = min(alike, key=lambda each: int(each["free"]))
    usable = _usable(least)
    if usable <= 0:
        return None, f"{first['name']} has only {amount(least['free'])} free"
    others = sorted({plain(each["name"]) for each in known} - {plain(first["name"])})
    note = (f"{first['name']} of this machine, {amount(least['free'])} of {amount(least['memory'])} free now"
            + (f"; {len(others)} other kind{'s' if len(others) > 1 else ''} of GPU left aside" if others else ""))
    count = 1 if " MIG " in first["name"] else len(alike)  # of slices a program sees one
    return GPU(_short(first["name"]), round(first["memory"] / GIB, 1), usable, DRIVER, count, note), ""


def _visible(devices: list[dict[str, Any]], told: str | None) -> list[dict[str, Any]]:
    """Those of CUDA_VISIBLE_DEVICES: what follows a number that is none is left out (CUDA Programming Guide,
    Environment Variables). Of names (GPU-..., MIG-...) only how many they are is looked at.

    >>> two = [{"name": "T4", "free": 1}, {"name": "T4", "free": 2}]
    >>> [len(_visible(two, told)) for told in (None, "", "-1", "1", "0,1", "0,-1,1", "GPU-8f6d,GPU-1c2b", "7")]
    [2, 0, 0, 1, 2, 1, 2, 0]
    """
    if told is None:
        return devices
    parts = [part.strip() for part in told.split(",")]
    if parts[0].startswith(("GPU-", "MIG-")):
        return devices[:len(parts)]
    found = []
    for part in parts:
        if not part.isdecimal() or int(part) >= len(devices):
            break
        found.append(devices[int(part)])
    return found


def _usable(device: dict[str, Any]) -> int:
    """gpu_device.cc: SingleVirtualDeviceMemoryLimit; the driver is asked before TensorFlow's CUDA context is there."""
    major = device["capability"][0] if device["capability"] else 8
    free = int(device["free"]) - CONTEXT * MIB
    return free - reserve(major, free)


def _short(name: str) -> str:
    return name.removeprefix("NVIDIA ").removeprefix("GeForce ").removeprefix("Tesla ")
