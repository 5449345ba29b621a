"""The configuration of a model: what get_config() and to_json() tell, and the models that are made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cudnnlint.frameworks.cloning import NO_CLONE, clone
from cudnnlint.frameworks.keras import FRAMEWORK
from cudnnlint.interp.machine import plain
from cudnnlint.interp.models import ModelV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown


@dataclass(frozen=True, slots=True, eq=False)
class ConfigurationV:
    """Of a functional or sequential model, as a dict or as text."""

    model: ModelV

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
    return clone(c.machine, told.model, c.span) if isinstance(told, ConfigurationV) else NO_CLONE
