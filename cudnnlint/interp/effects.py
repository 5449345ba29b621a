"""What importing a module leaves in the state of the libraries: that of all that it imports, whoever came first."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import Any

from cudnnlint.interp.heap import DictV
from cudnnlint.interp.keras.added import Given

TABLES = (dict, list, set, Given, DictV)
"""What a machine keeps there of its own program beside settings."""


class Noted(dict[str, Any]):
    """A machine's state, which knows what was set while a module was imported.

    set       keys that were set, though it be to what they were
    imported  what modules left that the module imports and another one had imported before
    """

    __slots__ = ("imported", "set")

    def __init__(self, held: Mapping[str, Any]) -> None:
        super().__init__(held)
        self.set: set[str] = set()
        self.imported: dict[str, Any] = {}

    def __setitem__(self, key: str, value: Any) -> None:
        self.set.add(key)
        super().__setitem__(key, value)


def written_in(state: Mapping[str, Any]) -> dict[str, dict[Any, Any]]:
    """What stands in the tables of the heap, os.environ among them, which modules write into as they are."""
    return {key: dict(value.items) for key, value in state.items() if type(value) is DictV}


def left_since(state: dict[str, Any], before: Mapping[str, Any],
               tables: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """What is another one now, or was set, or comes of a module that was imported before; of a table that was there,
    as `tables` has it, what was put there."""
    keys, imported = (state.set, state.imported) if isinstance(state, Noted) else (set(), {})
    left = {key: of_its_own(value) for key, value in state.items() if key not in tables
            and (key in keys or before.get(key) is not value)}
    for key, items in tables.items():
        table = state.get(key)
        if type(table) is DictV and (put := {name: value for name, value in table.items.items()
                                             if name not in items or items[name] is not value}):
            left[key] = DictV(put)
    return joined(imported, left)


def joined(state: Mapping[str, Any], left: Mapping[str, Any]) -> dict[str, Any]:
    """A state, and what a module left that is imported once more; tables of the heap keep what else they hold."""
    made = {**state}
    for key, value in left.items():
        held = made.get(key)
        made[key] = DictV({**held.items, **value.items}) if type(held) is DictV and type(value) is DictV \
            else of_its_own(value)
    return made


def went_on(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The importer's own state, once the module was followed."""
    if isinstance(before, Noted) and isinstance(after, Noted):
        before.set |= after.set
        before.imported.update(after.imported)
    dict.clear(before)
    dict.update(before, after)
    return before


def noted(state: dict[str, Any], imported: Mapping[str, Any]) -> None:
    """The module under way imports one that left this: its settings are among what it leaves itself."""
    if isinstance(state, Noted):
        state.imported = joined(state.imported, {key: value for key, value in imported.items()
                                                 if type(value) is DictV or not isinstance(value, TABLES)})


def of_its_own(value: Any) -> Any:
    """A table as it is now: what one file's program goes on to write into it is nothing to the next file's."""
    if type(value) is DictV:
        return DictV(dict(value.items))
    return copy(value) if type(value) in (dict, list, set, Given) else value
