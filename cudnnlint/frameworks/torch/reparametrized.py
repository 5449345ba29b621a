"""Modules whose weight is computed of other parameters at each call: torch.nn.utils.spectral_norm, weight_norm."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import Weight
from cudnnlint.values import Unknown

NAMES = ("spectral_norm", "parametrizations.spectral_norm", "weight_norm", "parametrizations.weight_norm",
         "parametrizations.orthogonal", "remove_spectral_norm", "remove_weight_norm")
OLD, NEW = ("weight_orig",), ("parametrizations.weight.original",)
PARTS: dict[str, tuple[str, ...]] = {
    "torch.nn.utils.spectral_norm": OLD, "torch.nn.utils.parametrizations.spectral_norm": NEW,
    "torch.nn.utils.weight_norm": ("weight_g", "weight_v"),
    "torch.nn.utils.parametrizations.weight_norm": ("parametrizations.weight.original0",
                                                    "parametrizations.weight.original1")}
"""The parameters that take the place of the weight: of weight_norm() its lengths along an axis come first."""


@FRAMEWORK.on(*(f"torch.nn.utils.{name}" for name in NAMES))
def reparametrized(c: Call) -> Any:
    """The module itself, which gives shapes as before; its parameters have other names, shapes and numbers
    (torch/nn/utils/spectral_norm.py, weight_norm.py)."""
    held = plain(c.get(0, "module"))
    if not isinstance(held, LayerV) or not held.path.startswith("torch.nn."):
        return Unknown("a module with other parameters")
    c.machine.heap.touch(held)
    callee = plain(c.callee)
    held.weights = _parted(held.weights, PARTS.get(callee.path if isinstance(callee, External) else "", ()),
                           plain(c.get(1, "name", "weight")), plain(c.get(2, "dim", 0)))
    return held


def _parted(weights: Any, names: tuple[str, ...], name: Any, dim: Any) -> tuple[Weight, ...] | Unknown:
    """What was computed of `weight` alone before, and its parts last."""
    found = [weight for weight in weights if weight.name == name] if isinstance(weights, tuple) else []
    if len(found) != 1 or not names or name != "weight":
        return Unknown("parameters that are computed of others")
    whole, others = found[0], tuple(weight for weight in weights if weight.name != name)
    if len(names) == 1:
        return (*others, Weight(names[0], whole.shape))
    if type(dim) is not int or not 0 <= dim < len(whole.shape):
        return Unknown("parameters that are computed of others")
    lengths = tuple(extent if axis == dim else 1 for axis, extent in enumerate(whole.shape))
    return (*others, Weight(names[0], lengths), Weight(names[1], whole.shape))
