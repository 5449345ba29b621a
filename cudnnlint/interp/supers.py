"""super(): what the classes after one in the order of resolution have, and their constructors."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.allocating import new_after
from cudnnlint.interp.attribute_setting import STRAIGHT
from cudnnlint.interp.fields import RECORD_BASES, init_fields
from cudnnlint.interp.guarding import guarded
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.keras.base_init import init_keras_instance
from cudnnlint.interp.keras.subclass import super_method
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, BuiltinV, ClassV, External, FunctionV, InstanceV, MethodV, PartialV
from cudnnlint.interp.registry import Call, find_attribute, find_method
from cudnnlint.values import Unknown


def super_init(m: Machine, instance: InstanceV, mro: tuple[Any, ...], after: int, c: Call) -> Any:
    """The next `__init__` in the mro after position `after`."""
    for base in mro[after + 1:]:
        if isinstance(base, ClassV):
            if base.fields is not None and "__init__" not in base.items:
                return init_fields(m, instance, base, c)
            if "__init__" in base.items:
                return m.call(BoundV(base.items["__init__"], instance), c.args, c.kwargs, c.node)
        elif isinstance(base, External):
            return external_init(m, instance, base, c)
        elif isinstance(base, Unknown):
            instance.unknown = base
            return None
    return None


def external_init(m: Machine, instance: InstanceV, base: External, c: Call) -> Any:
    """Initialise the library part of a user's object (keras.layers.Layer, keras.Model ...)."""
    if (path := find_method(base.path, "__init__")) is not None:
        c.receiver = instance
        return guarded(m, path, c)
    if base.path.startswith("keras."):
        return init_keras_instance(m, instance, base.path, c)
    if base.path in RECORD_BASES:
        for key, value in c.kwargs.items():
            m.set_item(instance, key, value)
    return None


OF_THE_BASE = frozenset({"__init__", "call", "__call__", "build"})
"""Methods that a class of the user's asks of its library class by name: `keras.layers.Dense.__init__(self, units)`."""


def base_asked(receiver: Any, owner: str) -> External | None:
    """The library class of Keras at `owner`, if the object is one of a user's class that derives from it."""
    held = plain(receiver)
    if not isinstance(held, InstanceV) or not owner.startswith("keras."):
        return None
    return next((base for base in held.cls.mro if isinstance(base, External) and base.path == owner), None)


def call_of_base(m: Machine, base: External, name: str, c: Call, instance: InstanceV) -> Any:
    """As super() would be asked; `c` without the object."""
    return external_init(m, instance, base, c) if name == "__init__" else super_method(m, instance, name, c)


class SuperV:
    """super(): attribute lookup starts after `cls` in the mro of the instance's class."""

    __slots__ = ("cls", "instance")

    def __init__(self, cls: ClassV, instance: Any) -> None:
        self.cls, self.instance = cls, instance

    def attribute(self, m: Machine, name: str) -> Any:
        holder = self.instance.cls if isinstance(self.instance, InstanceV) else self.instance
        mro = holder.mro if isinstance(holder, ClassV) else ()
        start = next((i for i, cls in enumerate(mro) if cls is self.cls), 0)
        if name == "__init__":
            return BoundInit(self.instance, mro, start)
        if name == "__new__":
            return new_after(mro[start + 1:])
        own = [base for base in mro[start + 1:] if isinstance(base, ClassV) and name in base.items]
        if name == "__setattr__" and not own:
            return PartialV(STRAIGHT, (self.instance,), {})
        for base in mro[start + 1:]:
            if isinstance(base, ClassV):
                if name in base.items:
                    found = base.items[name]
                    if m.recording is not None:
                        m.recording.read(base, name, found)
                    if isinstance(found, FunctionV) and found.kind in ("property", "cached"):
                        return m.call(found, [self.instance], {}, found.node)
                    return BoundV(found, self.instance) if isinstance(found, FunctionV) and found.kind != "static" \
                        else found
            elif isinstance(base, External):
                return self._external(m, base, name)
            else:
                return base
        return Unknown(f"super().{name}")

    def _external(self, m: Machine, base: External, name: str) -> Any:
        if base.path.startswith("keras.") and name in ("call", "__call__", "build", "compute_output_shape") \
                and not base.path.startswith("keras.losses."):
            return BuiltinV(f"super().{name}", lambda c: super_method(m, self.instance, name, c))
        if base.path == "torch.Tensor":
            return Unknown(f"super().{name} of a tensor of one's own class")
        if (handler := find_attribute(base.path, name)) is not None:
            return handler(m, self.instance)
        if (path := find_method(base.path, name)) is not None:
            return MethodV(self.instance, path)
        if name == "get_config":
            return BuiltinV("super().get_config", lambda c: DictV({}, Unknown("base config")))
        return Unknown(f"super().{name}")


class BoundInit:
    """super().__init__, bound."""

    __slots__ = ("instance", "mro", "start")
    always_true = True

    def __init__(self, instance: Any, mro: tuple[Any, ...], start: int) -> None:
        self.instance, self.mro, self.start = instance, mro, start

    def called(self, c: Call) -> Any:
        if isinstance(self.instance, InstanceV):
            super_init(c.machine, self.instance, self.mro, self.start, c)
        return None
