"""Where each library keeps a function: its canonical paths, aliases included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.ops.protocol import function
from cudnnlint.values import Unknown

Builder = Callable[..., Any]


def math(name: str) -> tuple[str, str]:
    """tf.add and tf.math.add."""
    return f"tensorflow.{name}", f"tensorflow.math.{name}"


def ops(name: str, group: str = "numpy") -> tuple[str, str]:
    """keras.ops.add and keras.ops.numpy.add."""
    return f"keras.ops.{name}", f"keras.ops.{group}.{name}"


RENAMED = {"image": "<3.4", "images": ">=3.4"}
"""keras/src/ops/image.py: what resize, extract_patches and rgb_to_grayscale call their input."""


def either(image: Any, images: Any) -> Any:
    """The one of two names for a parameter that this version has."""
    return images if isinstance(image, Unknown) else image


def spell(builder: Builder, *paths: str, versions: Mapping[str, str] | None = None) -> None:
    """Register `builder` by its paths; for builders made in a loop."""
    function(*paths, versions=versions)(builder)
