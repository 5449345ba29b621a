"""copy.copy and copy.deepcopy, of layers, models and a program's own objects."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.attribute_dicts import AttrDictV, opened
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.objects import External, FunctionV, InstanceV, NamespaceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Assumed, Tensor, Unknown


@FRAMEWORK.on("copy.copy", "copy.deepcopy")
def copy(c: Call) -> Any:
    return _copied(c.args[0] if c.args else Unknown(), plain(c.callee).path == "copy.deepcopy")


def _copied(value: Any, deep: bool) -> Any:
    """What rests on assumptions still does; objects hold theirs by themselves."""
    if isinstance(value, Assumed):
        return assume(_copied(value.value, deep), value.assumptions)
    if isinstance(value, ListV):
        kind = type(value) if getattr(value, "registers", False) else ListV  # an nn.ModuleList stays one
        return kind([_copied(item, deep) for item in value.items] if deep else value.items, value.unknown)
    if isinstance(value, AttrDictV):
        return opened(value, value.like) if deep else value.like(dict(value.items), value.unknown)
    if isinstance(value, DictV):
        items = {key: _copied(item, deep) for key, item in value.items.items()} if deep else dict(value.items)
        return type(value)(items, value.unknown) if getattr(value, "registers", False) else \
            DictV(items, value.unknown, is_set=value.is_set)
    if isinstance(value, tuple) and deep:
        return tuple(_copied(item, deep) for item in value)
    if isinstance(value, NamespaceV):
        return NamespaceV(dict(value.items), value.unknown)
    if value is None or isinstance(value, int | float | str | bytes | tuple):
        return value
    if deep and (made := _copied_layer(value)) is not None:
        return made
    if isinstance(value, InstanceV):
        return _copied_instance(value, deep)
    if deep and isinstance(value, LayerV | ModelV) and value.path.startswith("torch."):
        return value.copied(lambda item: _copied(item, deep))
    return value if deep and isinstance(value, Tensor | External | FunctionV) else Unknown("a copy")


def _copied_layer(value: Any) -> Any:
    """A layer of Keras with all that it holds, variables of its own included; None for anything else."""
    path = (value.cls.external_base() or "") if isinstance(value, InstanceV) else getattr(value, "path", "")
    if not isinstance(value, InstanceV | LayerV) or not path.startswith("keras.layers."):
        return None
    from cudnnlint.frameworks.keras.cloning import duplicate

    return duplicate(value, {})


def _copied_instance(value: InstanceV, deep: bool) -> Any:
    """An object of the user's; modules of PyTorch get weights of their own."""
    if value.extra is not None and not (isinstance(value.extra, LayerV) and value.extra.path.startswith("torch.")):
        return Unknown("a copy")
    made = InstanceV(value.cls, value.span)
    made.unknown, made.assumptions = value.unknown, value.assumptions
    made.items = {key: _copied(item, deep) for key, item in value.items.items()} if deep else dict(value.items)
    if isinstance(value.extra, LayerV):
        made.extra = value.extra.copied(lambda item: _copied(item, deep))
        made.extra.user = made
    return made
