"""What is not so of what the interpreter claims of a value, held against the value itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.objects import InstanceV
from cudnnlint.values import Assumed, Tensor, Unknown


def falsehood(claimed: Any, real: Any) -> str:
    """What is not so of a value, or ""; what is not known of it claims nothing."""
    if isinstance(claimed, Assumed):
        claimed = claimed.value
    if isinstance(claimed, Unknown) or getattr(claimed, "unknown", None) is not None:
        return ""
    if isinstance(claimed, Tensor):
        return _of_array(claimed, real)
    if isinstance(real, np.generic):
        real = real.item()
    if claimed is None or type(claimed) in (bool, int, float, str):
        return "" if type(claimed) is type(real) and claimed == real else f"{claimed!r} is {real!r}"
    if isinstance(claimed, int | float | str | bytes):  # a number of NumPy's
        return "" if claimed == real else f"{claimed!r} is {real!r}"
    if isinstance(real, set | frozenset):
        keys = list(claimed.items)
        return "" if len(keys) == len(real) and set(keys) == real else f"{keys} are {real!r}"
    if isinstance(claimed, ListV | tuple):
        items = list(claimed.items) if isinstance(claimed, ListV) else list(claimed)
        if len(items) != len(real):
            return f"{len(items)} elements are {real!r}"
        return next(filter(None, map(falsehood, items, real)), "")
    if isinstance(claimed, DictV | InstanceV):
        held = real if isinstance(claimed, DictV) else getattr(real, "__dict__", None)
        return "" if held is None else _of_table(claimed, held)
    return ""


def _of_table(claimed: DictV | InstanceV, held: dict[Any, Any]) -> str:
    told = {key: value for key, value in claimed.items.items() if not isinstance(value, Unknown)}
    if missing := [*(key for key in held if key not in claimed.items), *(key for key in told if key not in held)]:
        return f"{missing[0]!r} is on one side only"
    return next((f"[{key!r}] {wrong}" for key, value in told.items() if (wrong := falsehood(value, held[key]))), "")


def _of_array(claimed: Tensor, real: Any) -> str:
    if not isinstance(real, np.ndarray | np.generic):
        return f"{claimed} is {real!r}"
    if isinstance(claimed.shape, tuple) and (len(claimed.shape) != real.ndim or any(
            isinstance(ours, int) and ours != theirs for ours, theirs in zip(claimed.shape, real.shape, strict=True))):
        return f"{claimed} is {real.shape}"
    if isinstance(claimed.dtype, str) and real.dtype.kind not in "US" and claimed.dtype != real.dtype.name:
        return f"{claimed} is {real.dtype.name}"
    if claimed.content is None or isinstance(claimed.content, Unknown):
        return ""
    elements = np.asarray(claimed.content).tolist()
    return "" if elements == real.tolist() else f"{elements} is {real.tolist()}"
