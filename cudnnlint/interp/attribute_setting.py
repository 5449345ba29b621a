"""Assignments to attributes: as the class's own `__setattr__` says where it has one, or straight."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.heap import TableV
from cudnnlint.interp.join import join
from cudnnlint.interp.keras.variables import drop_replaced
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, BuiltinV, ClassV, External, FunctionV, InstanceV, ModuleV, NamespaceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown


def set_attribute(m: Machine, base: Any, name: str, value: Any) -> None:
    """`base.name = value`."""
    held = plain(base)
    if isinstance(held, InstanceV) and isinstance(own := held.cls.lookup("__setattr__"), FunctionV):
        m.call(BoundV(own, held), [name, value], {}, own.node)
    else:
        set_straight(m, held, name, value)


def set_straight(m: Machine, base: Any, name: str, value: Any) -> None:
    """What `object.__setattr__` does."""
    if name == "requires_grad":  # of a parameter, one of those that a model gives or one that is not known
        from cudnnlint.interp.torch.frozen import set_required

        set_required(m, base, value)
    if isinstance(base, InstanceV):
        found = base.cls.lookup(name)
        if isinstance(found, FunctionV) and found.kind == "property" and found.setter is not None:
            m.call(found.setter, [base, value], {}, found.setter.node)
            return
        if m.stack.keras < (3,) and getattr(base.extra, "added", False):
            drop_replaced(m, base, name, value)
        if _is_wrapped(m, base, value):
            value = Unknown("a module of PyTorch that Keras wraps")
        m.set_item(base, name, value)
        if name == "_layers" and m.stack.keras >= (3,):
            from cudnnlint.interp.keras.parts import ITS_OWN

            getattr(base.extra, "extra", {})[ITS_OWN] = True
        if base.chain is not None:
            base.chain.set_attribute(m, name, value)
        if name == "trainable" and base.extra is not None:
            from cudnnlint.interp.keras.parts import set_trainable

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


def _is_wrapped(m: Machine, base: InstanceV, value: Any) -> bool:
    """Whether it is a module of PyTorch that a layer or model of Keras 3 is given: where PyTorch is the backend, the
    attribute is a TorchModuleWrapper of it (keras/src/backend/torch/layer.py: TorchLayer._setattr_hook)."""
    held = plain(value)
    path = held.cls.external_base() if isinstance(held, InstanceV) else getattr(held, "path", None)
    return isinstance(path, str) and path.startswith("torch.nn.") and m.stack.keras >= (3,) \
        and (base.cls.external_base() or "").startswith("keras.")


def delete_attribute(m: Machine, base: Any, name: Any) -> None:
    """`del base.name`, `delattr(base, name)`; under a name that is not known any attribute may go."""
    held, name = plain(base), plain(name)
    if isinstance(held, InstanceV) and isinstance(own := held.cls.lookup("__delattr__"), FunctionV):
        m.call(BoundV(own, held), [name], {}, own.node)
    elif isinstance(held, InstanceV) and isinstance(name, str) and (deleter := _deleter(held, name)) is not None:
        m.call(deleter, [held], {}, deleter.node)
    elif isinstance(held, InstanceV | NamespaceV | ClassV):
        m.heap.touch(held)
        if isinstance(name, str):
            held.items.pop(name, None)
        else:
            held.items.update({known: Unknown(f"attribute {known}, which may be gone") for known in held.items})


def _deleter(held: InstanceV, name: str) -> FunctionV | None:
    found = held.cls.lookup(name)
    return found.deleter if isinstance(found, FunctionV) and found.kind == "property" else None


def set_named(c: Call, *, straight: bool = False) -> None:
    """`setattr(target, name, value)`: under a name that is not known any attribute may be set."""
    if len(c.args) < 3:
        return  # Python raises TypeError
    m, target, name = c.machine, plain(c.args[0]), plain(c.args[1])
    if isinstance(name, str):
        (set_straight if straight else set_attribute)(m, target, name, c.args[2])
    elif isinstance(target, (InstanceV, NamespaceV)):
        m.heap.touch(target)
        target.unknown = Unknown("setattr with an unknown name")
        for known, value in {**shared(target), **target.items}.items():
            target.items[known] = join([value, c.args[2]])
    elif isinstance(target, ClassV | ModuleV) and is_data(c.args[2]):
        held = target.scope if isinstance(target, ModuleV) else target
        m.heap.touch(held)
        held.items.update({known: join([value, c.args[2]]) for known, value in held.items.items() if is_data(value)})


def is_data(value: Any) -> bool:
    """Whether it is no function, class or module."""
    return not isinstance(plain(value), FunctionV | BoundV | BuiltinV | ClassV | ModuleV | External)


def shared(target: InstanceV | NamespaceV) -> dict[str, Any]:
    """What an instance has of its classes: an attribute of its own may now stand before it."""
    classes = [cls for cls in target.cls.mro if isinstance(cls, ClassV)] if isinstance(target, InstanceV) else []
    return {name: value for cls in reversed(classes) for name, value in cls.items.items()
            if not name.startswith("__") and is_data(value)}


STRAIGHT = BuiltinV("object.__setattr__", lambda c: set_named(c, straight=True))
