"""Layers made of a configuration: `Conv2D.from_config(config)`, `keras.layers.deserialize({"class_name": ...})`."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras import FRAMEWORK
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import OF_THE_CLASS, ClassV, External, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import LAYERS
from cudnnlint.values import Unknown

NESTED = frozenset({"layer", "layers", "cell", "cells", "backward_layer"})
"""Arguments that a configuration holds as configurations in turn."""


@FRAMEWORK.on(f"keras.layers.Layer.{OF_THE_CLASS}")
def from_config(c: Call) -> Any:
    """`cls(**config)` (keras/src/ops/operation.py: Operation.from_config)."""
    receiver = plain(c.receiver)
    own = receiver.cls if isinstance(receiver, InstanceV) else receiver
    if not isinstance(own, ClassV | External):
        return Unknown("a layer made by another one")
    return _made(c, own, c.get(0, "config"))


@FRAMEWORK.on("keras.layers.deserialize")
def deserialize(c: Call) -> Any:
    """A class of keras.layers or of `custom_objects` (keras/src/layers/serialization.py: deserialize)."""
    told, own = plain(c.get(0, "config")), plain(c.get(1, "custom_objects"))
    if not isinstance(told, DictV) or told.unknown or own is not None:
        return Unknown("a layer made of a configuration")
    name = plain(told.items.get("class_name"))
    if not isinstance(name, str) or f"keras.layers.{name}" not in LAYERS:
        return Unknown("a layer made of a configuration")
    return _made(c, External(f"keras.layers.{name}"), told.items.get("config", DictV({})))


def _made(c: Call, cls: External | ClassV, config: Any) -> Any:
    held = plain(config)
    if not isinstance(held, DictV) or held.unknown or held.items.keys() & NESTED \
            or not all(isinstance(key, str) for key in held.items):
        return Unknown("a layer made of a configuration")
    if any(isinstance(plain(value), DictV) for value in held.items.values()):  # serialized objects
        return Unknown("a layer made of a configuration")
    return c.machine.call(cls, [], dict(held.items), c.node)
