"""`obj.__dict__`, `vars(obj)` and `globals()`: what is written into it is written into the object or module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cudnnlint.interp.heap import DictV
from cudnnlint.values import Unknown
from cudnnlint.values.unknown import OfPython

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine
    from cudnnlint.interp.objects import External, InstanceV, ModuleV, NamespaceV, Scope


EXECUTED = "if exec()"
"""Among the names of a function's scope, as none that a program can have: exec() ran there, and may have bound some."""


class OwnDictV(DictV):
    """The attributes of `owner` by name."""

    __slots__ = ("owner",)

    def __init__(self, owner: InstanceV | NamespaceV) -> None:
        super().__init__(dict(owner.items), None if type(owner.unknown) is OfPython else owner.unknown)
        self.owner = owner


def written(m: Machine, table: DictV) -> None:
    """A table was changed: if it is of an object, so was that; under a name that is not known, any attribute was."""
    if not isinstance(table, OwnDictV):
        return
    owner, lost = table.owner, table.unknown
    m.heap.touch(owner)
    if lost and not owner.unknown:
        owner.unknown = lost
        owner.items.update({name: Unknown(f"attribute {name}, which may have been set by its name")
                            for name in owner.items})
    else:
        owner.items.update({name: value for name, value in table.items.items() if isinstance(name, str)})


class GlobalsV(DictV):
    """The names of a module, as they were when it was asked for; `scope` gets what is set by its name."""

    __slots__ = ("before", "scope")

    def __init__(self, items: dict[Any, Any], scope: Scope) -> None:
        super().__init__(items, scope.unknown)
        self.scope = scope
        self.before = dict(items)


def updated(m: Machine, table: DictV) -> None:
    """`globals().update(values)`."""
    if not isinstance(table, GlobalsV):
        return
    if table.unknown and not table.scope.unknown:
        bound(m, table, table.unknown, table.unknown)
    changed = {name: value for name, value in table.items.items() if name not in table.before
               or table.before[name] is not value}
    m.heap.touch(table.scope)
    table.scope.items.update(changed)
    table.before.update(changed)


class MembersV:
    """`module.__dict__`: what a module or a library has, by its name."""

    always_true = True
    __slots__ = ("holder",)

    def __init__(self, holder: ModuleV | External) -> None:
        self.holder = holder

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        from cudnnlint.interp.attribute_names import getattr_value
        from cudnnlint.interp.objects import MISSING

        return getattr_value(m, self.holder, key, MISSING, node)


def bound(m: Machine, table: DictV, name: Any, value: Any) -> None:
    """`globals()[name] = value`; under a name that is not known, anything but functions and classes may be set."""
    from cudnnlint.interp.attribute_setting import is_data

    if not isinstance(table, GlobalsV):
        return
    m.heap.touch(table.scope)
    if not isinstance(name, Unknown):
        table.scope.items[name] = value
    elif is_data(value):
        table.scope.items.update({known: Unknown(f"{known}, which may have been set by its name")
                                  for known, held in table.scope.items.items() if is_data(held)})
