"""The configuration of a model: what get_config() and to_json() tell, and the models that are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.frameworks.keras.cloning import NO_CLONE, clone
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.heap import clock
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown


class ConfigurationV:
    """Of a functional or sequential model, as a dict or as text: as it was told, until a part of it is asked for, since
    that may then be changed."""

    __slots__ = ("born", "model", "opened")

    def __init__(self, model: ModelV) -> None:
        self.born, self.model, self.opened = next(clock), model, False

    def snapshot(self) -> Any:
        return self.opened

    def restore(self, state: Any) -> None:
        self.opened = state

    def merge(self, states: Sequence[Any]) -> None:
        self.opened = any(states)

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        self._open(m)
        return Unknown("a part of a configuration")

    def set_item(self, m: Machine, key: Any, value: Any) -> None:
        self._open(m)

    def attribute(self, m: Machine, name: str) -> Any:
        self._open(m)
        return Unknown("a part of a configuration")

    def _open(self, m: Machine) -> None:
        m.heap.touch(self)
        self.opened = True

    def join_with(self, other: Any) -> Any:
        same = isinstance(other, ConfigurationV) and other.model is self.model
        return self if same else Unknown("differs between paths")


@FRAMEWORK.on("keras.Model.get_config", "keras.Model.to_json")
def configuration(c: Call) -> Any:
    model = plain(c.receiver)
    whole = isinstance(model, ModelV) and model.kind in ("functional", "sequential")
    return ConfigurationV(model) if whole else Unknown("a configuration")


@FRAMEWORK.on("keras.Model.from_config", "keras.Sequential.from_config", "keras.models.model_from_json",
              "keras.models.model_from_config")
def from_configuration(c: Call) -> Any:
    """The same layers anew (keras/src/models/functional.py: functional_from_config, sequential.py: from_config)."""
    told = plain(c.get(0, "config", c.kwargs.get("json_string")))
    whole = isinstance(told, ConfigurationV) and not told.opened
    return clone(c.machine, told.model, c.span) if whole else NO_CLONE
