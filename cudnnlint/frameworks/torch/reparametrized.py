"""Modules whose weight is computed of other parameters at each call: torch.nn.utils.spectral_norm, weight_norm."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

NAMES = ("spectral_norm", "weight_norm", "parametrizations.spectral_norm", "parametrizations.weight_norm",
         "parametrizations.orthogonal", "remove_spectral_norm", "remove_weight_norm")


@FRAMEWORK.on(*(f"torch.nn.utils.{name}" for name in NAMES))
def reparametrized(c: Call) -> Any:
    """The module itself, which gives shapes as before; its parameters have other names, shapes and numbers
    (torch/nn/utils/spectral_norm.py, weight_norm.py)."""
    held = plain(c.get(0, "module"))
    if not isinstance(held, LayerV) or not held.path.startswith("torch.nn."):
        return Unknown("a module with other parameters")
    c.machine.heap.touch(held)
    held.weights = Unknown("parameters that are computed of others")
    return held
