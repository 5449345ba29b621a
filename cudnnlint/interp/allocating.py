"""`__new__`: what makes the instance that `__init__` is then called on."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.fields import fill_fields
from cudnnlint.interp.iterate import elements, is_named_tuple
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import REQUIRED, BuiltinV, ClassV, External, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

BARE = ("keras.", "tensorflow.Module", "torch.nn.")
"""Libraries whose classes leave making an instance to `object`."""


class NewV:
    """`__new__` of a named tuple's class: until Python 3.7 defaults were written into it."""

    __slots__ = ("cls",)

    def __init__(self, cls: ClassV) -> None:
        self.cls = cls

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        """`Block.__new__.__defaults__ = (None,) * 2` is of the last two fields."""
        fields = self.cls.fields
        if name != "__defaults__" or fields is None:
            return
        found = elements(m, value) if plain(value) is not None else ()
        if isinstance(found, Unknown):
            fields.update(dict.fromkeys(fields, found))
            return
        first = len(fields) - len(found)
        fields.update({field: found[i - first] if i >= first else REQUIRED for i, field in enumerate(fields)})

    def called(self, c: Call) -> Any:
        made = _bare(c)
        if isinstance(made, InstanceV):
            fill_fields(c.machine, made, self.cls, c.args[1:], c)
        return made


def allocated(m: Machine, cls: ClassV, span: Any) -> InstanceV:
    """An instance without attributes."""
    instance = InstanceV(cls, span)
    if not cls.instances:
        m.instantiated.append(cls)
    cls.instances.append(instance)
    m.keep(instance)
    return instance


def _bare(c: Call) -> Any:
    cls = plain(c.args[0]) if c.args else None
    return allocated(c.machine, cls, c.span) if isinstance(cls, ClassV) else Unknown("__new__ of an unknown class")


PLAIN_NEW = BuiltinV("object.__new__", _bare)


def new_after(mro: tuple[Any, ...]) -> Any:
    """The `__new__` of the classes in `mro`, where none of the program's has one."""
    for base in mro:
        if isinstance(base, ClassV):
            if "__new__" in base.items:
                return base.items["__new__"]
            if base.fields is not None and is_named_tuple(base):
                return NewV(base)
        elif not (isinstance(base, External) and base.path.startswith(BARE)):
            return Unknown("super().__new__")
    return PLAIN_NEW
