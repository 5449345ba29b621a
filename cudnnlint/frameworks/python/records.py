"""Records: named tuples, and the fields of dataclasses."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.fields import OPTIONAL
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import REQUIRED, ClassV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown


@FRAMEWORK.on("collections.namedtuple", "typing.NamedTuple")
def named_tuple(c: Call) -> Any:
    """A class whose instances hold the given fields."""
    name = plain(c.args[0]) if c.args else None
    names = plain(c.get(1, "field_names", c.kwargs.get("fields")))
    if isinstance(names, str):
        listed: Any = names.replace(",", " ").split()
    else:
        listed = elements(c.machine, names)
    if isinstance(listed, Unknown) or not isinstance(name, str):
        return Unknown("a named tuple")
    cls = ClassV(name, (), c.machine.frame.module, None)
    cls.fields = {str(plain(item[0] if isinstance(item, tuple) and item else item)): REQUIRED for item in listed}
    defaults = elements(c.machine, c.kwargs["defaults"]) if "defaults" in c.kwargs else ()
    if not isinstance(defaults, Unknown):
        for field, default in zip(reversed(list(cls.fields)), reversed(list(defaults)), strict=False):
            cls.fields[field] = default
    return cls


@FRAMEWORK.on("dataclasses.field", "attr.ib", "attrs.field", "attr.field", *OPTIONAL)
def field(c: Call) -> Any:
    """Kept as it is: making an instance asks it for its default, and what converts it."""
    return ObjectV(plain(c.callee).path, tuple(c.args), dict(c.kwargs), c.span)


@FRAMEWORK.on("dataclasses.replace")
def replace(c: Call) -> Any:
    value = plain(c.args[0]) if c.args else Unknown()
    if isinstance(value, InstanceV) and value.cls.fields is not None and STAR not in c.kwargs:
        kept = {name: value.items[name] for name, default in value.cls.fields.items() if name in value.items
                and not (isinstance(default, ObjectV) and plain(default.kwargs.get("init")) is False)}
        return c.machine.call(value.cls, [], {**kept, **c.kwargs}, c.node)
    return Unknown("dataclasses.replace")


@FRAMEWORK.on("collections.namedtuple._replace")
def replaced(c: Call) -> Any:
    value = plain(c.receiver)
    if not isinstance(value, InstanceV) or STAR in c.kwargs:
        return Unknown("a named tuple")
    made = InstanceV(value.cls, c.span)
    made.items = {**value.items, **c.kwargs}
    return made


@FRAMEWORK.on("collections.namedtuple._asdict")
def as_mapping(c: Call) -> Any:
    value = plain(c.receiver)
    return DictV(dict(value.items), value.unknown) if isinstance(value, InstanceV) else Unknown("a named tuple")
