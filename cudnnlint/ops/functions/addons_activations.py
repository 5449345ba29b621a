"""Activations of tensorflow_addons as it was last released (tensorflow_addons/activations/*.py): all keep the shape."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions.activations import along, same
from cudnnlint.ops.protocol import Outcome, function


@function("tensorflow_addons.activations.lisht", "tensorflow_addons.activations.mish",
          "tensorflow_addons.activations.tanhshrink")
def mish(x: Any) -> Outcome:
    return same(x, "tf")


@function("tensorflow_addons.activations.gelu")
def gelu(x: Any, approximate: Any = True) -> Outcome:
    return same(x, "tf")


@function("tensorflow_addons.activations.hardshrink", "tensorflow_addons.activations.softshrink")
def hardshrink(x: Any, lower: Any = -0.5, upper: Any = 0.5) -> Outcome:
    return same(x, "tf")


@function("tensorflow_addons.activations.rrelu")
def rrelu(x: Any, lower: Any = 0.125, upper: Any = 1 / 3, training: Any = None, seed: Any = None,
          rng: Any = None) -> Outcome:
    return same(x, "tf")


@function("tensorflow_addons.activations.snake")
def snake(x: Any, frequency: Any = 1) -> Outcome:
    return same(x, "tf")


@function("tensorflow_addons.activations.sparsemax")
def sparsemax(logits: Any, axis: Any = -1) -> Outcome:
    return along(logits, axis, "tf", "tfa.activations.sparsemax")
