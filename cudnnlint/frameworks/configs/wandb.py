"""wandb: `wandb.init(config={...})`, whose values are those of the program unless a sweep replaces them."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.configs.options import by_default
from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.machine import assumptions_of, plain
from cudnnlint.interp.objects import InstanceV, NamespaceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown


@FRAMEWORK.on("wandb.init")
def init(c: Call) -> Any:
    """A run, which has the configuration, as the module has from then on."""
    given = plain(c.kwargs.get("config"))
    if not isinstance(given, DictV | NamespaceV | InstanceV):  # wandb/sdk/wandb_helper.py: _to_dict
        return Unknown("a run of wandb")
    items = {key: by_default(c, key, value, "wandb.init()") if isinstance(key, str) and not assumptions_of(value)
             else value for key, value in given.items.items()}
    config = c.machine.overrides["wandb.config"] = AttrDictV(items, given.unknown)
    return NamespaceV({"config": config}, Unknown("a run of wandb"))
