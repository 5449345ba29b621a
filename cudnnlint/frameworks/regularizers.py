"""Regularizers of the library, which add to a loss what a layer's weights come to."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras import FRAMEWORK
from cudnnlint.interp.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.registry import PARENTS, Call

BASE = "keras.regularizers.Regularizer"
NAMES = ("L1", "L2", "L1L2", "OrthogonalRegularizer")
LOWER = {"l1": "L1", "l2": "L2", "l1_l2": "L1L2", "orthogonal_regularizer": "OrthogonalRegularizer",
         **{name: name for name in NAMES}}
"""Both spellings (keras/src/regularizers/__init__.py)."""
PARENTS.update({f"keras.regularizers.{name}": BASE for name in NAMES})


@FRAMEWORK.on(*(f"keras.regularizers.{name}" for name in LOWER))
def make_regularizer(c: Call) -> Any:
    name = plain(c.callee).path.rpartition(".")[2]
    return ObjectV(f"keras.regularizers.{LOWER[name]}", tuple(c.args), dict(c.kwargs), c.span)


__all__ = ["make_regularizer"]
