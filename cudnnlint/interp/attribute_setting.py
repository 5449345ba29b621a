"""Assignments to attributes: of instances, classes, modules, library paths and modelled values."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.heap import TableV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import ClassV, External, FunctionV, InstanceV, ModuleV, NamespaceV
from cudnnlint.interp.variables import drop_replaced


def set_attribute(m: Machine, base: Any, name: str, value: Any) -> None:
    base = plain(base)
    if name == "requires_grad":  # of a parameter, one of those that a model gives or one that is not known
        m.state["torch.frozen"] = True
    if isinstance(base, InstanceV):
        found = base.cls.lookup(name)
        if isinstance(found, FunctionV) and found.kind == "property" and found.setter is not None:
            m.call(found.setter, [base, value], {}, found.setter.node)
            return
        if m.stack.keras < (3,) and getattr(base.extra, "added", False):
            drop_replaced(m, base, name, value)
        m.set_item(base, name, value)
        if base.chain is not None:
            base.chain.set_attribute(m, name, value)
        if name == "trainable" and base.extra is not None:
            from cudnnlint.interp.parts import set_trainable

            set_trainable(m, base, value)
    elif isinstance(base, (ClassV, NamespaceV, TableV)):
        m.set_item(base, name, value)
        if isinstance(base, AttrDictV):
            base.changed(m)
    elif isinstance(base, ModuleV):
        m.set_item(base.scope, name, value)
    elif isinstance(base, External):
        m.overrides[f"{base.path}.{name}"] = value
    else:
        hook = getattr(base, "set_attribute", None)
        if hook is not None:
            hook(m, name, value)
