"""`with tf.device(...)`: where the program puts what it makes."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

KEY = "placed on"


class PlacedV:
    """The device of a `with` block: its name, or Unknown."""

    always_true = True

    def __init__(self, name: Any) -> None:
        self.name = name
        self.outer: Any = ""

    def entered(self, m: Machine) -> Any:
        self.outer = m.state.get(KEY, "")
        m.state[KEY] = self.name
        return self

    def left(self, m: Machine) -> None:
        m.state[KEY] = self.outer


@FRAMEWORK.on("tensorflow.device", "keras.device", "tensorflow.compat.v1.device")
def device(c: Call) -> PlacedV:
    name = plain(c.get(0, "device_name", c.kwargs.get("device_name_or_function")))
    return PlacedV(name if isinstance(name, str) else Unknown("a device"))


def device_of(m: Machine) -> Any:
    """The device that is named where we are; "" for none."""
    return m.state.get(KEY, "")
