"""`obj.__dict__` and `vars(obj)`: what is written into it is written into the object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cudnnlint.interp.heap import DictV
from cudnnlint.values import Unknown

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine
    from cudnnlint.interp.objects import InstanceV, NamespaceV


class OwnDictV(DictV):
    """The attributes of `owner` by name."""

    __slots__ = ("owner",)

    def __init__(self, owner: InstanceV | NamespaceV) -> None:
        super().__init__(dict(owner.items), owner.unknown)
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
