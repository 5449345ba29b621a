"""Dicts whose keys are attributes: EasyDict, ConfigDict, CfgNode and the like, and classes of the program's own."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import MISSING, BoundV, BuiltinV, ClassV, FunctionV, MethodV
from cudnnlint.interp.registry import find_method
from cudnnlint.source.walk import walk
from cudnnlint.values import Unknown

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine
    from cudnnlint.interp.registry import Call

DEEPEST = 64


class AttrDictV(DictV):
    """A dict whose keys are attributes too; `maker` is the class of the user's, `grows` says that addict made it."""

    __slots__ = ("grows", "maker")
    path = "attrdict.AttrDict"

    def __init__(self, items: dict[Any, Any] | None = None, unknown: Unknown | None = None, *,
                 maker: ClassV | None = None, grows: bool = False) -> None:
        super().__init__(items, unknown)
        self.maker, self.grows = maker, grows

    def attribute(self, m: Machine, name: str) -> Any:
        """A key, else a method; dicts within are opened in the same way when they are asked for."""
        if self.maker is not None and (own := self._own(m, self.maker, name)) is not MISSING:
            return own
        if name in self.items and not self.unknown:
            found = self.items[name]
            if type(plain(found)) is DictV and not plain(found).is_set:
                found = opened(found, self.like)
                m.set_item(self, name, found)
            return found
        if (method := find_method(self.path, name)) is not None:
            return MethodV(self, method)
        if hasattr(dict, name):
            return MethodV(self, name)
        if self.grows and not self.unknown and not name.startswith("__"):
            m.set_item(self, name, self.like({}, None))
            return self.items[name]
        return self.unknown or Unknown(f"attribute {name} of a dict")

    def _own(self, m: Machine, cls: ClassV, name: str) -> Any:
        """What the class of the user's has by that name, which Python finds before it asks for a key."""
        found = MISSING if name in OWN else cls.items.get(name, MISSING)
        if not isinstance(found, FunctionV):
            return found
        if found.kind in ("property", "cached"):
            return m.call(found, [self], {}, found.node)
        return found if found.kind == "static" else BoundV(found, cls if found.kind == "class" else self)

    def like(self, items: dict[Any, Any], unknown: Unknown | None) -> AttrDictV:
        """Another of the same kind."""
        return AttrDictV(items, unknown, maker=self.maker, grows=self.grows)


    def changed(self, m: Machine) -> None:
        """A key was set: what others were made of is no longer known."""


class LinkedDictV(AttrDictV):
    """A configuration of OmegaConf: `written` are the texts of values that name others, `derived` where such values are
    in the whole of it."""

    __slots__ = ("derived", "written")

    def __init__(self, items: dict[Any, Any] | None = None, unknown: Unknown | None = None) -> None:
        super().__init__(items, unknown)
        self.written: dict[Any, Any] = {}
        self.derived: list[tuple[LinkedDictV, Any]] = []

    def like(self, items: dict[Any, Any], unknown: Unknown | None) -> AttrDictV:
        return LinkedDictV(items, unknown)

    def changed(self, m: Machine) -> None:
        for table, key in self.derived:
            m.set_item(table, key, Unknown("named a value before that was changed"))


def opened(value: Any, make: Callable[[dict[Any, Any], Unknown | None], Any], depth: int = 0) -> Any:
    """`value` copied, with every dict in it made by `make`."""
    held = plain(value)
    if depth > DEEPEST:
        return Unknown("nested too deeply")
    if isinstance(held, DictV) and not held.is_set:
        return make({key: opened(item, make, depth + 1) for key, item in held.items.items()}, held.unknown)
    if isinstance(held, ListV):
        return ListV([opened(item, make, depth + 1) for item in held.items], held.unknown)
    if isinstance(held, tuple):
        return tuple(opened(item, make, depth + 1) for item in held)
    return value


def made(c: Call, make: Callable[[dict[Any, Any], Unknown | None], Any]) -> Any:
    """What `EasyDict(mapping, key=value)` gives."""
    from cudnnlint.interp.builtin.functions import BUILTINS

    args = [arg for arg in c.args[:1] if plain(arg) is not None]
    return opened(c.machine.call(BUILTINS["dict"], args, c.kwargs, c.node), make)


OWN = frozenset({"__init__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__missing__", "__repr__",
                 "__str__", "__dir__", "__getstate__", "__setstate__", "__copy__", "__deepcopy__"})
"""Methods that such a class may have without being more than a dict."""
KEEPING = frozenset({"__new__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__", "__len__",
                     "__eq__", "__or__", "get", "items", "keys", "values", "update", "pop", "popitem", "setdefault",
                     "clear"})
"""Methods that, written anew, make another thing of what a dict keeps."""


HARMLESS = frozenset({"__init__", "__repr__", "__str__", "__doc__", "__module__", "__qualname__", "__slots__"})
"""What a class may have that is a dict like any other."""


def is_attribute_dict(cls: ClassV) -> bool:
    """Whether a class of the user's is a dict, mostly one whose keys are attributes; methods that only use it may be
    added."""
    base = next((base for base in cls.bases if not isinstance(base, ClassV)), None)
    if not isinstance(base, BuiltinV) or base.name != "dict" or len(cls.bases) != 1:
        return False
    if not KEEPING.isdisjoint(cls.items):
        return False
    init = cls.items.get("__init__")
    if not isinstance(init, FunctionV) or _hands_on(init.node):
        special = {name for name in cls.items if name.startswith("__") and name.endswith("__")}
        return "__getattr__" in special or "__getattribute__" in special or special <= HARMLESS
    stored = list(_stored(init.node))
    return all(name == "__dict__" for name in stored) and (bool(stored) or "__getattr__" in cls.items
                                                           or "__getattribute__" in cls.items)


def _hands_on(function: ast.AST) -> bool:
    """Whether an initialiser only calls that of dict."""
    body = [part.value for part in getattr(function, "body", ()) if isinstance(part, ast.Expr)]
    calls = [part for part in body if not isinstance(part, ast.Constant)]
    return len(body) == len(getattr(function, "body", ())) and len(calls) == 1 and isinstance(calls[0], ast.Call) \
        and isinstance(calls[0].func, ast.Attribute) and calls[0].func.attr == "__init__"


def _stored(function: ast.AST) -> list[Any]:
    """Names that an initialiser sets by themselves: `self.size = 3`, `self["size"] = 3`."""
    nodes = [node for node in walk(function) if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)]
    return [node.attr for node in nodes if isinstance(node, ast.Attribute)] + [
        node.slice.value for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)]
