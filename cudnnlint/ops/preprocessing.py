"""How preprocessing layers are spelled: at keras.layers, and in Keras 2 under experimental.preprocessing too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cudnnlint.ops.protocol import Builder, layer
from cudnnlint.values import Mismatch, Tensor, Unknown


def preprocessing(name: str, versions: Mapping[str, str] | None = None) -> Callable[[Builder], Builder]:
    """Register `keras.layers.<name>` and its Keras 2 spelling."""

    def decorate(builder: Builder) -> Builder:
        layer(f"keras.layers.{name}", versions=versions)(builder)
        older = {**(versions or {}), "": "<3"}
        return layer(f"keras.layers.experimental.preprocessing.{name}", versions=older)(builder)

    return decorate


def agreed(x: Tensor, traced: Any, run: Any, *, newest: bool) -> Any:
    """The shape where tracing a symbolic input and running the layer agree.

    Keras 3 writes the two down separately; where they differ neither is relied on. A real tensor is run.
    """
    if not newest or x.kind != "keras" or traced == run or isinstance(run, Mismatch | Unknown):
        return run
    return Unknown("Keras 3 traces another shape than it computes")
