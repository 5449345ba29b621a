"""Where each library keeps a function: its canonical paths, aliases included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.ops.protocol import function

Builder = Callable[..., Any]


def math(name: str) -> tuple[str, str]:
    """tf.add and tf.math.add."""
    return f"tensorflow.{name}", f"tensorflow.math.{name}"


def ops(name: str, group: str = "numpy") -> tuple[str, str]:
    """keras.ops.add and keras.ops.numpy.add."""
    return f"keras.ops.{name}", f"keras.ops.{group}.{name}"


def spell(builder: Builder, *paths: str) -> None:
    """Register `builder` by its paths; for builders made in a loop."""
    function(*paths)(builder)
