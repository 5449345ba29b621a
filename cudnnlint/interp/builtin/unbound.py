"""Methods of Python's own classes asked of the class: `map(str.lower, names)`, `dict.fromkeys(names, 0)`."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.builtin.functions import method_exists
from cudnnlint.interp.convert import key_of
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

UNBOUND: dict[str, type] = {"dict": DictV, "float": float, "int": int, "list": ListV, "set": DictV, "str": str,
                            "tuple": tuple}
"""The classes, and what their objects are here."""


def unbound(holder: str, name: str) -> Any:
    """The method `name` of the class `holder`, which takes the object first."""
    if (holder, name) == ("dict", "fromkeys"):
        return BuiltinV("dict.fromkeys", _from_keys)
    return BuiltinV(f"{holder}.{name}", _Method(holder, name)) if hasattr(PYTHON[holder], name) \
        else Unknown(f"attribute {name}")


PYTHON: dict[str, type] = {"dict": dict, "float": float, "int": int, "list": list, "set": set, "str": str,
                           "tuple": tuple}


class _Method:
    """Calls the method of the object that comes first."""

    __slots__ = ("holder", "name")

    def __init__(self, holder: str, name: str) -> None:
        self.holder, self.name = holder, name

    def __call__(self, c: Call) -> Any:
        from cudnnlint.interp.attributes import get_attribute

        held = plain(c.args[0]) if c.args else None
        if not isinstance(held, UNBOUND[self.holder]) or not method_exists(held, self.name):
            return Unknown(f"{self.holder}.{self.name}()")
        return c.machine.call(get_attribute(c.machine, c.args[0], self.name, c.node), c.args[1:], c.kwargs, c.node)


def _from_keys(c: Call) -> Any:
    """A dict of which every key has the same object for its value."""
    found = elements(c.machine, c.args[0]) if c.args else Unknown("no keys")
    if isinstance(found, Unknown) or len(found) > c.machine.limits.items:
        return DictV({}, found if isinstance(found, Unknown) else Unknown("a long sequence"))
    keys = [key_of(item) for item in found]
    if (unknown := next((key for key in keys if isinstance(key, Unknown)), None)) is not None:
        return DictV({}, unknown)
    return DictV(dict.fromkeys(keys, c.args[1] if len(c.args) > 1 else None))
